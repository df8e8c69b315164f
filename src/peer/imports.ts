// Imports by a running peer: the store takes in a file from this machine's disk, and tells how far it has come.

import { resolve } from 'node:path'
import type { ImportDesk, ImportLine } from '../api/v1/archive-desk.ts'
import { PolyhistorError } from '../errors.ts'
import type { ImportProgress, ImportResult } from '../store/import/import-result.ts'
import type { Store } from '../store/store.ts'
import { type ContentsElsewhere, otherKeepers } from '../store-elsewhere.ts'
import type { Clock } from '../world/clock.ts'
import type { DiskFile } from '../world/disk.ts'
import { RealDisk } from '../world/real/disk.ts'

const tellMs = 250

export class PeerImports implements ImportDesk {
  readonly #store: Store
  readonly #clock: Clock
  readonly #elsewhere: ContentsElsewhere | undefined

  /** `elsewhere`: what other peers keep already is not kept again. */
  constructor(needs: { store: Store; clock: Clock; elsewhere?: ContentsElsewhere | undefined }) {
    this.#store = needs.store
    this.#clock = needs.clock
    this.#elsewhere = needs.elsewhere
  }

  async import(wish: { path: string; again: boolean; signal: AbortSignal }) {
    const source = await new RealDisk().open(resolve(wish.path), 'read')
    return this.#lines(source, wish)
  }

  async *#lines(
    source: DiskFile,
    { again, signal }: { again: boolean; signal: AbortSignal },
  ): AsyncGenerator<ImportLine> {
    const stop = new AbortController()
    let progress: ImportProgress | undefined
    let result: ImportResult | undefined
    let failure: unknown
    const others = otherKeepers(this.#elsewhere)
    const options = { again, others, signal: AbortSignal.any([signal, stop.signal]) }
    const done = this.#store
      .import(source, { ...options, whenProgress: (state) => (progress = state) })
      .then((it) => {
        result = it
      })
      .catch((error: unknown) => {
        failure = error
      })
    try {
      while (result === undefined && failure === undefined) {
        await Promise.race([done, this.#clock.sleep(tellMs)])
        if (progress !== undefined && result === undefined) yield { progress }
      }
      if (result !== undefined) yield { result }
      else yield { error: told(failure) }
    } finally {
      // Also when nobody reads any more: then it stops, and goes on from there another time.
      stop.abort()
      await done
      await source.close()
    }
  }
}

function told(failure: unknown): { code: string; message: string } {
  if (failure instanceof PolyhistorError) return { code: failure.code, message: failure.message }
  if ((failure as Error).name === 'AbortError')
    return { code: 'import-stopped', message: 'The import was stopped.' }
  throw failure
}
