// What a home proves its captures with: the key that makes it this peer, and the log of what it has captured.
//
// A log that cannot be opened keeps nobody from crawling: captures are signed all the same, and wait for it; the status says so.

import { join } from 'node:path'
import { PolyhistorError } from '../../errors.ts'
import type { Log } from '../../platform/log.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import { CaptureSigner } from '../../proof/capture-signer.ts'
import { CaptureLog } from '../../proof/log/capture-log.ts'
import type { Store } from '../../store/store.ts'
import type { Platform } from '../platform.ts'
import { homeSeed } from '../ring/home-identity.ts'

interface Needs {
  readonly platform: Pick<Platform, 'clock' | 'disk' | 'files' | 'random'>
  readonly store: Store
  readonly log: Log
}

/** A head is signed as often, while captures come. */
const updateMs = 60_000

export class HomeProof {
  readonly signer: CaptureSigner
  /** undefined when it could not be opened. */
  readonly captures: CaptureLog | undefined
  /** Why it could not. */
  readonly lack: string | undefined
  readonly #updating: PeriodicTask | undefined

  /** `signs`: what is captured from now on. */
  static async open(
    { platform, store, log }: Needs,
    home: string,
    { signs = true }: { signs?: boolean | undefined } = {},
  ): Promise<HomeProof> {
    const seed = await homeSeed(home, platform)
    const signer = new CaptureSigner(platform, seed)
    if (signs) store.signWith(signer)
    try {
      const needs = { ...platform, queue: store.unlogged }
      return new HomeProof(platform, signer, await CaptureLog.open(needs, join(home, 'proof'), signer.key))
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      log.warn({ err: error }, 'The log of captures cannot be opened')
      return new HomeProof(platform, signer, undefined, error.message)
    }
  }

  private constructor(
    needs: Pick<Platform, 'clock'>,
    signer: CaptureSigner,
    captures: CaptureLog | undefined,
    lack?: string,
  ) {
    this.signer = signer
    this.captures = captures
    this.lack = lack
    this.#updating = captures && new PeriodicTask(needs, updateMs, async () => void (await captures.update()))
  }

  /** Before the store is closed. */
  async close(): Promise<void> {
    await this.#updating?.close()
    try {
      await this.captures?.update()
    } catch (error) {
      // They are safe in the queue.
      if (!(error instanceof PolyhistorError)) throw error
    }
    await this.captures?.close()
  }
}
