/** Whether a text ends where a sentence may end; brackets and quotation marks may follow. */
export const ENDS_SENTENCE = /[.!?:;…。！？]["'”’)\]]*$/u;
/** Whether a text goes on with one that was begun before. */
export const BEGINS_LOWER = /^\p{Ll}/u;
