// Appends under way: several at once, so that they share a flush, and counted in the order in which they were begun, so
// that the place up to which all is durable is known.
//
// Bounded in number and in bytes held. A revisit can wait for what it may point at, if that is still under way.

interface Flight<Outcome> {
  /** Of the first record that it is about. */
  readonly offset: number
  readonly heldBytes: number
  /** What others may point at it by. */
  readonly names: readonly string[]
  readonly outcome: Promise<Outcome>
}

const flightsMax = 32
const heldBytesMax = 32 * 1024 * 1024

export class Flights<Outcome> {
  readonly #flights: Flight<Outcome>[] = []
  #heldBytes = 0

  get isFull(): boolean {
    return this.#flights.length >= flightsMax || this.#heldBytes > heldBytesMax
  }

  get isEmpty(): boolean {
    return this.#flights.length === 0
  }

  get oldestOffset(): number {
    return Math.min(...this.#flights.map(({ offset }) => offset))
  }

  begin(flight: Flight<Outcome>): void {
    // Whoever takes it gets the failure; until then it is no news.
    flight.outcome.catch(() => {})
    this.#flights.push(flight)
    this.#heldBytes += flight.heldBytes
  }

  /** The outcome of the one begun first. It stays among those under way when it failed. */
  async takeFirst(): Promise<Outcome> {
    const first = this.#flights[0]!
    const outcome = await first.outcome
    this.#flights.shift()
    this.#heldBytes -= first.heldBytes
    return outcome
  }

  /** Resolves when none of these names is under way; failures are for takeFirst. */
  async settled(names: readonly string[]): Promise<void> {
    const awaited = this.#flights.filter((flight) => flight.names.some((name) => names.includes(name)))
    await Promise.allSettled(awaited.map(({ outcome }) => outcome))
  }

  async allSettled(): Promise<void> {
    await Promise.allSettled(this.#flights.map(({ outcome }) => outcome))
  }
}
