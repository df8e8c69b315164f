// Questions that are asked one at a time and sent many at a time: whoever asks within a moment shares a message.

import type { Clock } from './clock.ts'

interface Waiting<Item, Answer> {
  readonly item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}

const momentMs = 2

export class Gathering<Item, Answer> {
  readonly #clock: Clock
  readonly #itemsMax: number
  /** Gives an answer for each, in order. */
  readonly #send: (items: Item[]) => Promise<Answer[]>
  #waiting: Waiting<Item, Answer>[] = []

  constructor(needs: { clock: Clock }, itemsMax: number, send: (items: Item[]) => Promise<Answer[]>) {
    this.#clock = needs.clock
    this.#itemsMax = itemsMax
    this.#send = send
  }

  ask(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#waiting.length >= this.#itemsMax) this.#sendAll()
      else if (this.#waiting.length === 1) this.#clock.after(momentMs, () => this.#sendAll())
    })
  }

  #sendAll(): void {
    const batch = this.#waiting
    this.#waiting = []
    if (batch.length === 0) return
    this.#send(batch.map(({ item }) => item)).then(
      (answers) => {
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!)
      },
      (error) => {
        for (const { reject } of batch) reject(error)
      },
    )
  }
}
