// Hands: how many visits may be under way at once, by how far each has come.
//
// A visit asks its host, then its answer is kept here, then it may wait for other peers. Only asking is bounded by what the
// owner wants: with slow disks or peers it would else be their delay that says how many hosts are asked. What was answered and
// is not kept yet takes memory, so there is a bound for that, too; who only waits for others takes none.

export interface Hand {
  /** Its host has answered. */
  answered(): void
  /** It is over, answered or not. */
  end(): void
}

/** Answers that are being kept while further hosts are asked; as many as hosts, if those are more. */
const answersMaxLeast = 64

export class Hands {
  readonly #askingMax: number
  readonly #answersMax: number
  /** Of those answered, how many only wait for others. */
  readonly #waiting: () => number
  #asking = 0
  #answered = 0

  constructor(askingMax: number, waiting: () => number) {
    this.#askingMax = askingMax
    this.#answersMax = Math.max(answersMaxLeast, askingMax)
    this.#waiting = waiting
  }

  /** Another host may be asked. */
  get isFree(): boolean {
    return this.#asking < this.#askingMax && this.#answered - this.#waiting() < this.#answersMax
  }

  take(): Hand {
    let state: 'asking' | 'answered' | 'over' = 'asking'
    this.#asking++
    return {
      answered: () => {
        if (state !== 'asking') return
        state = 'answered'
        this.#asking--
        this.#answered++
      },
      end: () => {
        if (state === 'asking') this.#asking--
        if (state === 'answered') this.#answered--
        state = 'over'
      },
    }
  }
}
