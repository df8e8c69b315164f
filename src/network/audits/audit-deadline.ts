// How long an honest answer may take: the way there and back, a seek for each step, and the bytes at the speed of a slow disk.
//
// A disk that is busy with a crawl needs 10 to 30 ms to seek. Whoever asks another peer for each step waits for a round trip between
// the two on top of that peer's own reads; whoever fetches everything first moves many times as many bytes. So on the internet it is
// late. In one local network, where a round trip takes less than a seek, time tells nothing, and the answer still costs it the traffic.

const seekMs = 40
const readBytesPerMs = 20_000
/** Starting to work, on a busy machine. */
const slackMs = 100
/** A peer that takes longer to answer a ping gains nothing by that. */
const roundTripMsMax = 500

/** `roundTripMs`: the shortest that was measured. */
export function auditDeadlineMs(work: { steps: number; readBytes: number; roundTripMs: number }): number {
  const roundTripMs = Math.min(roundTripMsMax, work.roundTripMs)
  return slackMs + 1.5 * roundTripMs + work.steps * seekMs + work.readBytes / readBytesPerMs
}

/** So long an answer is waited for at all: what comes late is told from what does not come. */
export const answerMsMax = 15_000
