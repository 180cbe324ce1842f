/** What the line under a figure or over a table begins with, in the languages that documents mostly have. */
const CAPTION_WORD =
  '(?:fig(?:ure|\\.)?|table|tab\\.|abb(?:ildung|\\.)?|tabelle|tableau|figura|tabla|tabella|chart|listing)';
export const CAPTION = new RegExp(`^${CAPTION_WORD}\\s*[\\divx]+\\s*(?:[.:–—-]|$)`, 'iu');
