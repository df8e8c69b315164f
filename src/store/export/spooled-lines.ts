// Lines of JSON for a file that is written later: a head, then what is added. In memory while they are few, in the spool from then on.

import type { Spool, SpoolFile } from '../spool.ts'

const bufferedCharsMax = 256 * 1024

export class SpooledLines {
  readonly #spool: Spool
  #file: SpoolFile | undefined
  #text: string

  constructor(spool: Spool, head: object) {
    this.#spool = spool
    this.#text = `${JSON.stringify(head)}\n`
  }

  async add(line: object): Promise<void> {
    this.#text += `${JSON.stringify(line)}\n`
    if (this.#text.length < bufferedCharsMax) return
    this.#file ??= await this.#spool.open()
    await this.#file.append(Buffer.from(this.#text))
    this.#text = ''
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#file) yield* this.#file.chunks()
    yield Buffer.from(this.#text)
  }

  async discard(): Promise<void> {
    await this.#file?.discard()
  }
}
