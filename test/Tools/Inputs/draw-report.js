// Runs the script of a report (draw-report.js REPORT.html) with stand-ins for
// the browser and for Plotly, and prints the lines of each chart and the titles
// of the table.
"use strict";
const page = require("fs").readFileSync(process.argv[2], "utf8");
const script = (open) => {
  const from = page.indexOf(open) + open.length;
  return page.slice(from, page.indexOf("</script>", from));
};
const charts = {}, elements = {};
const makeElement = () => ({
  textContent: "", className: "", hidden: false, value: "", style: {},
  dataset: {}, children: [], options: [], classList: {toggle() {}, add() {}},
  append(...more) { this.children.push(...more); },
  prepend(...more) { this.children.unshift(...more); },
  replaceChildren(...more) { this.children = more; },
  addEventListener() {}, on() {}, scrollIntoView() {},
  querySelectorAll: () => [], getBoundingClientRect: () => ({width: 1000}),
});
const data = makeElement();
data.textContent = script('<script type="application/json" id="data">');
elements.data = data;
global.document = {
  documentElement: makeElement(), body: makeElement(), title: "",
  getElementById: (id) => (elements[id] ??= makeElement()),
  createElement: makeElement, createTextNode: (text) => text,
  querySelectorAll: () => [], addEventListener() {},
};
global.window = {innerWidth: 1200, addEventListener() {},
  matchMedia: () => ({addEventListener() {}, matches: false})};
global.matchMedia = window.matchMedia;
global.addEventListener = () => {};
global.getComputedStyle = () => ({
  getPropertyValue: (name) => name === "--captured" ? "#0e7490" : "#1f6feb",
  fontFamily: "sans-serif",
});
global.Plotly = {react(id, lines) { charts[id] = lines; }, Plots: {resize() {}}};
new Function(script('<script>\n"use strict";'))();
for (const line of charts.total || [])
  if (line.name) console.log("total:", line.name, line.line.color);
const head = elements.table.children[0].children[0];
console.log("table:", head.children.map((cell) => cell.textContent).join(", "));
