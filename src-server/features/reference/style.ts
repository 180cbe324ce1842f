/** The stylesheet of the reference, a file of its own so that the policy can forbid inline styles. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f5f6f3, #151c1c);
  --raised: light-dark(#ebede8, #1c2525);
  --line: light-dark(#d7dbd4, #2a3534);
  --text: light-dark(#16201d, #e8eeeb);
  --quiet: light-dark(#4c5854, #a8b5b0);
  --accent: light-dark(#0a5b51, #7ad6c4);
  --mark: light-dark(#d6e9e4, #143c37);
  font: 100%/1.6 'IBM Plex Sans Variable', 'IBM Plex Sans', system-ui, 'Segoe UI', Roboto, sans-serif;
  background: var(--ground);
  color: var(--text);
  scroll-padding-top: 1rem;
}
* { box-sizing: border-box; }
body { margin: 0; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:hover { text-decoration-thickness: 2px; }
/* Below the underscores of names, which would vanish in the line. */
a:has(> code) { text-underline-offset: 0.45em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100rem; padding: 0.5rem 1rem; background: var(--raised); }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 1; }
header {
  display: flex; flex-wrap: wrap; gap: 0.25rem 2rem; align-items: baseline; justify-content: space-between;
  padding: 0.9rem clamp(1rem, 4vw, 2.5rem); border-bottom: 1px solid var(--line);
}
header nav { display: flex; gap: 1.25rem; font-size: 0.95rem; }
.brand { font-weight: 700; font-size: 1.15rem; color: var(--text); text-decoration: none; }
.brand span { font-weight: 400; color: var(--quiet); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); padding: 0 clamp(1rem, 4vw, 2.5rem); }
.menu { padding: 1rem 0; font-size: 0.92rem; }
.menu summary { cursor: pointer; font-weight: 600; width: max-content; padding-block: 0.25rem; }
.menu ul { list-style: none; margin: 0 0 1.1rem; padding: 0; }
.menu li a {
  display: block; padding: 0.2rem 0.6rem; border-left: 2px solid var(--line); color: var(--text); text-decoration: none;
}
.menu li a:hover { border-color: var(--accent); color: var(--accent); }
.menu li a[aria-current] { border-color: var(--accent); font-weight: 600; }
.group { margin: 0.8rem 0 0.3rem; color: var(--quiet); font-weight: 600; }
main { min-width: 0; max-width: 58rem; padding-bottom: 6rem; }
main p, main li { max-width: 44rem; }
h1 { font-size: 2.1rem; line-height: 1.15; margin: 1.6rem 0 1rem; letter-spacing: -0.015em; }
h2 {
  font-size: 1.5rem; line-height: 1.25; margin: 3rem 0 0.8rem; padding-top: 1.2rem;
  border-top: 1px solid var(--line);
}
h3 { font-size: 1.2rem; line-height: 1.3; margin: 2.6rem 0 0.4rem; }
h4 { font-size: 1rem; margin: 1.6rem 0 0.4rem; color: var(--quiet); }
h2:target, h3:target { background: var(--mark); box-shadow: 0 0 0 0.35rem var(--mark); }
.address { display: flex; flex-wrap: wrap; gap: 0.3rem 0.8rem; align-items: baseline; margin: 0 0 0.8rem; }
.price { color: var(--quiet); }
code, pre {
  font-family: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, monospace;
  font-size: 0.875em;
}
:not(pre) > code { background: var(--raised); padding: 0.1em 0.3em; border-radius: 3px; overflow-wrap: anywhere; }
pre {
  background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 0.9rem 1.1rem;
  overflow-x: auto;
  line-height: 1.5; max-height: 30rem;
}
pre code { font-size: 0.875rem; }
.table { overflow-x: auto; margin: 0.6rem 0 1.2rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td {
  text-align: left; vertical-align: top; padding: 0.45rem 0.9rem 0.45rem 0;
  border-bottom: 1px solid var(--line);
}
thead th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; white-space: nowrap; }
tbody th code { white-space: nowrap; overflow-wrap: normal; }
td { min-width: 4rem; }
td:last-child { min-width: 12rem; }
@media (min-width: 64rem) {
  .columns { grid-template-columns: 15rem minmax(0, 1fr); gap: 3.5rem; }
  .menu { position: sticky; top: 0; align-self: start; }
  .menu nav { max-height: calc(100vh - 2rem); overflow-y: auto; }
}
/* Folded on a narrow page, always open beside a wide one, where the browser can do both without a script. */
@supports selector(::details-content) {
  @media (min-width: 64rem) {
    .menu summary { display: none; }
    .menu::details-content { content-visibility: visible; display: block; height: auto; }
  }
}
@media (max-width: 40rem) {
  h1 { font-size: 1.75rem; }
  .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .rows table, .rows tbody, .rows tr, .rows th, .rows td { display: block; }
  .rows tr { padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  .rows tbody th, .rows td { padding: 0.1rem 0; border: 0; white-space: normal; }
  .rows td:empty { display: none; }
  .rows td::before { content: attr(data-label) ': '; color: var(--quiet); }
}
@media print { .menu, header nav, .skip { display: none; } }
`;
