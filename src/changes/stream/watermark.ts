// Watermark: up to which stamp everything has come, so that somebody who was told it can go on from there on any peer.
//
// Invariant: no event with this stamp or a smaller one can turn up later, of any site. That needs more than having read every peer
// up to there: a site that changes hands is read from nobody meanwhile. Each peer says with its answers whether it knows of sites
// that may be nobody's. A site on its way is known so to the peer that gives it up until the one that gets it knows of it, and to
// that one until it can be read there, which then says that it has taken it over. So: all answer, all are quiet; then all are asked
// again, and all are quiet again. A site that was missed in the first round was on its way between two answers of it, and somebody
// says so in the second. What had come at the end of the first round is safe then.

export class Watermark {
  #stamp: number
  #round = 1
  /** What becomes the watermark if the round under way is quiet, too. */
  #candidate: number | undefined
  /** The last round that a source has answered in. */
  readonly #answered = new Map<string, number>()

  constructor(stamp: number) {
    this.#stamp = stamp
  }

  get stamp(): number {
    return this.#stamp
  }

  /** Questions that are asked now are of this round. */
  get round(): number {
    return this.#round
  }

  answered(source: string, round: number): void {
    this.#answered.set(source, round)
  }

  /** Something was on its way, somebody did not answer, or the peers are others: all are to be asked anew. */
  disturb(): void {
    this.#candidate = undefined
    this.#round++
  }

  /** `sources`: all that there are, and up to where what each of them has came. */
  advance(
    sources: ReadonlyMap<string, { readonly progress: number }>,
    stampMax: number,
    isAlone = false,
  ): void {
    let progress = stampMax
    for (const [name, source] of sources) {
      if ((this.#answered.get(name) ?? 0) < this.#round) return
      progress = Math.min(progress, source.progress)
    }
    // Alone, nothing is ever on its way.
    if (isAlone) this.#candidate = progress
    if (this.#candidate !== undefined) this.#stamp = Math.max(this.#stamp, this.#candidate)
    this.#candidate = progress
    this.#round++
    for (const name of this.#answered.keys()) if (!sources.has(name)) this.#answered.delete(name)
  }
}
