/** The tokens of the product as the variables of Scalar. Every text colour reaches 4.5:1 on every surface. */
export const THEME = `
.light-mode {
  --scalar-background-1: #f5f6f3;
  --scalar-background-2: #ebede8;
  --scalar-background-3: #e3e6e0;
  --scalar-background-accent: #d6e9e4;
  --scalar-border-color: #d7dbd4;
  --scalar-color-1: #16201d;
  --scalar-color-2: #414d49;
  --scalar-color-3: #4c5854;
  --scalar-color-accent: #0a5b51;
  --scalar-color-green: #1d683a;
  --scalar-color-red: #a3251b;
  --scalar-color-yellow: #6b4b00;
  --scalar-color-blue: #1f5689;
  --scalar-color-orange: #8a3f19;
  --scalar-color-purple: #6d3d69;
  --scalar-button-1: #0b665b;
  --scalar-button-1-color: #ffffff;
  --scalar-button-1-hover: #084f47;
}
.dark-mode {
  --scalar-background-1: #151c1c;
  --scalar-background-2: #1c2525;
  --scalar-background-3: #253030;
  --scalar-background-accent: #143c37;
  --scalar-border-color: #2a3534;
  --scalar-color-1: #e8eeeb;
  --scalar-color-2: #b9c5c0;
  --scalar-color-3: #a8b5b0;
  --scalar-color-accent: #7ad6c4;
  --scalar-color-green: #7fcb98;
  --scalar-color-red: #f5988b;
  --scalar-color-yellow: #e2b95c;
  --scalar-color-blue: #86b7e6;
  --scalar-color-orange: #eba077;
  --scalar-color-purple: #cf9bc9;
  --scalar-button-1: #55c2ae;
  --scalar-button-1-color: #05201c;
  --scalar-button-1-hover: #74d3c1;
}
:root {
  --scalar-font: 'IBM Plex Sans Variable', 'IBM Plex Sans', system-ui, 'Segoe UI', Roboto, sans-serif;
  --scalar-font-code: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Consolas, monospace;
  --scalar-radius: 3px;
  --scalar-radius-lg: 6px;
  --scalar-radius-xl: 10px;
  --scalar-custom-header-height: 3.5rem;
}
`;
