// Others waited for: visits that have done what is to be done here and only wait for other peers. They take no hand: else it
// would be the delay of others that says how many hosts are asked.

/** So many more may be visited meanwhile. */
const countMax = 2_000

export class OthersWaited {
  readonly #onWait: () => void
  #count = 0

  /** `onWait` is told when a visit begins to wait. */
  constructor(onWait: () => void = () => {}) {
    this.#onWait = onWait
  }

  /** Visits that only wait, of which a hand may take no notice. */
  get count(): number {
    return Math.min(this.#count, countMax)
  }

  /** Gives what the others give. */
  async until<T>(others: Promise<T>): Promise<T> {
    this.#count++
    this.#onWait()
    try {
      return await others
    } finally {
      this.#count--
    }
  }
}
