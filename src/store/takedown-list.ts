// takedowns.jsonl: one line for every takedown, appended and synced, readable by people and by a rebuild of the index.

import type { LineFile } from './line-file.ts'
import { storedTakedown, type Takedown } from './takedown-record.ts'

export interface ListedTakedowns {
  readonly takedowns: Takedown[]
  /** Lines that are no takedowns, whatever they are. */
  readonly unreadable: string[]
}

export class TakedownList {
  readonly #file: LineFile

  constructor(needs: { file: LineFile }) {
    this.#file = needs.file
  }

  append(takedown: Takedown): Promise<void> {
    return this.#file.append(JSON.stringify(takedown))
  }

  async read(): Promise<ListedTakedowns> {
    const takedowns: Takedown[] = []
    const unreadable: string[] = []
    for await (const line of this.#file.lines()) {
      const takedown = storedTakedown(parsed(line))
      if (takedown !== undefined) takedowns.push(takedown)
      else if (!isTorn(line)) unreadable.push(line)
    }
    return { takedowns, unreadable }
  }

  /** Only these are left. */
  replace(takedowns: readonly Takedown[]): Promise<void> {
    return this.#file.replace(takedowns.map((takedown) => JSON.stringify(takedown)))
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A crash cut it short, or left zeros of it: it was never acknowledged. */
function isTorn(line: string): boolean {
  return !line.endsWith('}') && (line.startsWith('{') || line.startsWith('\0'))
}
