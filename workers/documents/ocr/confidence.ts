/** Mean confidence of a line from which it is text. What lies below is texture or a drawing. */
export const CONFIDENCE_MIN = 30;
