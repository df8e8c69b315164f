// takedowns.jsonl: a line for every takedown, and one for every release of one, appended and synced; readable by people and by
// a rebuild of the index. Of several lines about one target the last counts.

import { parseJson } from '../../model/json.ts'
import type { LineFile } from '../line-file.ts'
import {
  nameOf,
  storedRelease,
  storedTakedown,
  type Takedown,
  type TakedownTarget,
} from './takedown-record.ts'

export interface ListedTakedowns {
  /** By their names: what is taken down. undefined: it was released. */
  readonly listed: ReadonlyMap<string, Takedown | undefined>
  /** Lines that are neither takedowns nor releases, whatever they are. */
  readonly unreadable: readonly string[]
  readonly readable: readonly string[]
}

export class TakedownList {
  readonly #file: LineFile
  readonly #undoMs: number

  constructor(needs: { file: LineFile }, undoMs: number) {
    this.#file = needs.file
    this.#undoMs = undoMs
  }

  get path(): string {
    return this.#file.path
  }

  append({ target, atMs, finalAtMs, reason, by, isHeld }: Takedown): Promise<void> {
    return this.#file.append(JSON.stringify({ target, atMs, finalAtMs, reason, by, isHeld }))
  }

  release(target: TakedownTarget, atMs: number): Promise<void> {
    return this.#file.append(JSON.stringify({ release: target, atMs }))
  }

  async read(): Promise<ListedTakedowns> {
    const listed = new Map<string, Takedown | undefined>()
    const unreadable: string[] = []
    const readable: string[] = []
    for await (const line of this.#file.lines()) {
      const value = parseJson(line)
      const takedown = storedTakedown(value, this.#undoMs)
      const target = takedown?.target ?? storedRelease(value)
      if (target === undefined) {
        if (!isTorn(line)) unreadable.push(line)
        continue
      }
      listed.set(nameOf(target), takedown)
      readable.push(line)
    }
    return { listed, unreadable, readable }
  }

  /** Only these lines are left. */
  replace(lines: readonly string[]): Promise<void> {
    return this.#file.replace(lines)
  }
}

/** A crash cut it short, or left zeros of it: it was never acknowledged. */
function isTorn(line: string): boolean {
  return !line.endsWith('}') && (line.startsWith('{') || line.startsWith('\0'))
}
