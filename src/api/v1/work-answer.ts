// An answer that goes on as long as the work it was asked for, a line of JSON each: `progress` now and then, `result` or
// `error` at the end. Who stops reading stops the work.

import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { dataAnswer, linesType } from '../answers.ts'
import { ApiError } from '../api-error.ts'

export type WorkLine =
  | { readonly progress: object }
  | { readonly result: object }
  | { readonly error: { readonly code: string; readonly message: string; readonly retry: string } }

/** One piece of work at a time. */
export class WorkPlace {
  readonly #refusal: string
  #isTaken = false

  /** `refusal`: what whoever comes second is told. */
  constructor(refusal: string) {
    this.#refusal = refusal
  }

  async answer(begin: () => Promise<AsyncIterable<WorkLine>>): Promise<HttpAnswer> {
    if (this.#isTaken) throw new ApiError('too-many-streams', this.#refusal)
    this.#isTaken = true
    try {
      return dataAnswer(linesType, this.#printed(await begin()))
    } catch (error) {
      this.#isTaken = false
      throw error
    }
  }

  async *#printed(lines: AsyncIterable<WorkLine>): AsyncGenerator<Uint8Array> {
    try {
      for await (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`)
    } finally {
      this.#isTaken = false
    }
  }
}
