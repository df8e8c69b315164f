// Stored takedowns that fail their schema: set aside, so that the store opens, and told of until somebody has looked at them.
//
// They lie in takedowns.quarantine.jsonl, beside takedowns.jsonl. They hide nothing. Who has seen to them removes the file.

import type { Log } from '../../platform/log.ts'
import type { LineFile } from '../line-file.ts'

/** Of one that is set aside no more is kept. */
const charsMax = 50_000

export class TakedownQuarantine {
  readonly #file: LineFile
  readonly #log: Log
  /** As found when the store was opened, and since. */
  #count = 0

  constructor(needs: { file: LineFile; log: Log }) {
    this.#file = needs.file
    this.#log = needs.log
  }

  get count(): number {
    return this.#count
  }

  /** Sets them aside. Those that are there already, since a crash came between, are not added again. */
  async add(entries: readonly string[]): Promise<void> {
    const known = new Set<string>()
    for await (const line of this.#file.lines()) known.add(line)
    const lines = new Set(entries.map((entry) => JSON.stringify({ takedown: entry.slice(0, charsMax) })))
    const fresh = [...lines].filter((line) => !known.has(line))
    if (fresh.length > 0) {
      await this.#file.append(...fresh)
      this.#log.error(
        { count: fresh.length, file: this.#file.path },
        'Stored takedowns cannot be read. They were set aside and hide nothing: take down again what they were for',
      )
    }
    this.#count = known.size + fresh.length
  }
}
