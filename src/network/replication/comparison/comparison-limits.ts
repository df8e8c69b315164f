// How large messages and their parts may be. Whoever sends more is refused; whoever asks for more gets a part of it and asks for
// the rest.

/** Ranges that one question may name. */
export const rangesMax = 32
/** Parts that a range is split into. More take fewer round trips and more bytes: at 16 a difference among 10^6 entries is found in
 * about six, with 1 to 2 kB. */
export const partsMax = 16
/** A range with no more entries is answered with their ids: as many bytes as two more rounds of splitting. */
export const idsTypical = 32
/** What others may list at most. */
export const idsMax = 1_024
/** An answer ends when it has grown to this. */
export const answerBytesTypical = 48 * 1024
export const messageBytesMax = 128 * 1024
/** An answer ends when so many nodes and entries were read for it: some 50 ms. */
export const readsMax = 20_000
/** How often a range is split at most. Honest splits leave an eighth or so of a range; 10^12 entries need less than this. */
export const depthMax = 24
