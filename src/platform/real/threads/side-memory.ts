// Memory that two threads share: slots in a ring, an input and an output each.
//
// Invariants: one thread only asks and takes, the other only answers, both in the order of the ring. A slot belongs to the other
// thread from the moment that `asked` counts it to the moment that `answered` does, and is not asked for again before its
// answer was taken. So no byte is ever read and written at the same time.

export const slotsMax = 8
const inputBytesMax = 32 * 1024
export const outputBytesMax = 128 * 1024
/** An answer of this length: it could not be done. */
export const notDone = -1

const askedAt = 0
const answeredAt = 1
const lengthsAt = 2

/** What is handed to the other thread. */
export interface SharedParts {
  readonly counts: SharedArrayBuffer
  readonly inputs: SharedArrayBuffer
  readonly outputs: SharedArrayBuffer
}

export class SideMemory {
  readonly parts: SharedParts
  readonly #counts: Int32Array

  constructor(parts: SharedParts = newParts()) {
    this.parts = parts
    this.#counts = new Int32Array(parts.counts)
  }

  get asked(): number {
    return Atomics.load(this.#counts, askedAt)
  }

  get answered(): number {
    return Atomics.load(this.#counts, answeredAt)
  }

  /** Of the slot that the task with this number has. */
  input(number: number, length = inputBytesMax): Buffer {
    return Buffer.from(this.parts.inputs, (number % slotsMax) * inputBytesMax, length)
  }

  output(number: number, length = outputBytesMax): Buffer {
    return Buffer.from(this.parts.outputs, (number % slotsMax) * outputBytesMax, length)
  }

  inputLength(number: number): number {
    return this.#counts[lengthsAt + 2 * (number % slotsMax)]!
  }

  outputLength(number: number): number {
    return this.#counts[lengthsAt + 2 * (number % slotsMax) + 1]!
  }

  ask(number: number, inputLength: number): void {
    this.#counts[lengthsAt + 2 * (number % slotsMax)] = inputLength
    Atomics.store(this.#counts, askedAt, number + 1)
    Atomics.notify(this.#counts, askedAt)
  }

  answer(number: number, outputLength: number): void {
    this.#counts[lengthsAt + 2 * (number % slotsMax) + 1] = outputLength
    Atomics.store(this.#counts, answeredAt, number + 1)
    Atomics.notify(this.#counts, answeredAt)
  }

  /** Holds the thread up until more is asked for. */
  waitForTask(asked: number): void {
    Atomics.wait(this.#counts, askedAt, asked)
  }

  /** Resolves when more is answered. */
  async whenAnswered(answered: number): Promise<void> {
    await Atomics.waitAsync(this.#counts, answeredAt, answered).value
  }
}

function newParts(): SharedParts {
  return {
    counts: new SharedArrayBuffer(4 * (lengthsAt + 2 * slotsMax)),
    inputs: new SharedArrayBuffer(slotsMax * inputBytesMax),
    outputs: new SharedArrayBuffer(slotsMax * outputBytesMax),
  }
}
