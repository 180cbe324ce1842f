/** Mean confidence of a line from which it is text. What lies below is texture or a drawing. */
export const CONFIDENCE_MIN = 30;

/** Confidence of a word below which it may be wrong: half of those below are, and 6 of 1,000 right ones are below. */
export const WORD_CONFIDENCE_MIN = 60;
