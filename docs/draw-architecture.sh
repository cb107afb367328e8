#!/usr/bin/env bash
# usage: docs/draw-architecture.sh DOT
#
# Draws docs/images/architecture.svg from architecture.dot with graphviz's DOT.
# The first line of the SVG is the hash of its source: a test compares the two,
# because versions of graphviz draw differently.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/images"
svg=$("$1" -Tsvg architecture.dot | sed '/^<?xml/d;/^<!DOCTYPE/,/>$/d')
echo "<!-- $(sha256sum <architecture.dot | cut -c 1-16) -->" >architecture.svg
echo "$svg" >>architecture.svg
