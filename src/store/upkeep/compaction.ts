// Compaction: volumes with too much dead weight are rewritten, and so are all that hold what was taken down and cannot be
// taken back any more.
//
// Runs while readers and writers go on, one run at a time, and can be killed at any moment (see volume-evacuation.ts). As
// many volumes at once as there is room to write anew what lives in them, since one walk over the index serves them all.

import type { StoreIndex } from '../index/store-index.ts'
import type { VolumeEntry } from '../index/volume-entry.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'
import type { TakedownTraces } from '../takedowns/takedown-traces.ts'
import type { Takedowns } from '../takedowns/takedowns.ts'
import type { Volumes } from '../volumes/volumes.ts'
import { livingBytesIn, type RelocationRoom, relocationTurn } from './relocation-room.ts'
import type { VolumeEvacuation, VolumeLeft } from './volume-evacuation.ts'

export interface WorkProgress {
  doneBytes: number
  totalBytes: number
}

export interface CompactOptions {
  /** A volume is rewritten when more than this share of it is dead. Less: less disk, more writing. */
  deadShare?: number | undefined
  signal?: AbortSignal | undefined
  progress?: ((progress: WorkProgress) => void) | undefined
}

export interface CompactReport {
  /** How many volumes were rewritten and removed. */
  volumes: number
  movedBytes: number
  /** By how much less the volumes take. */
  freedBytes: number
  /** Volumes that had to be left for now. */
  left: VolumeLeft[]
}

interface Needs {
  index: StoreIndex
  room: RelocationRoom
  volumes: Volumes
  evacuation: VolumeEvacuation
  traces: TakedownTraces
  takedowns: Takedowns
  mutex: KeyedMutex
}

const deadShareDefault = 0.3
/** Chains of deltas are undone one link a round, and each round may make others urgent. Far more than needed. */
const roundsMax = 100

export class Compaction {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  compact(options: CompactOptions = {}): Promise<CompactReport> {
    return this.#needs.mutex.run(relocationTurn, () => this.#run(options))
  }

  async #run(options: CompactOptions): Promise<CompactReport> {
    const { index, evacuation, traces, takedowns } = this.#needs
    const before = volumeBytes(index)
    const report: CompactReport = { volumes: 0, movedBytes: 0, freedBytes: 0, left: [] }
    await evacuation.removeEmptied()
    await takedowns.destroyDue()
    await traces.find((url) => takedowns.destroysUrl(url), options.signal)
    const { deadShare = deadShareDefault } = options
    await this.#seal((volume) => deadPart(volume) > deadShare)
    for (let round = 1; round <= roundsMax; round++) {
      // What was taken down may lie in a volume that is still being written.
      await this.#seal(({ isUrgent }) => isUrgent)
      const chosen = await this.#choose(deadShare)
      const moved = (bytes: number) => {
        report.movedBytes += bytes
        options.progress?.({
          doneBytes: report.movedBytes,
          totalBytes: report.movedBytes + livingBytesIn(index, chosen),
        })
      }
      report.left = await evacuation.empty(chosen, { signal: options.signal, moved })
      const removed = chosen.size - report.left.length
      report.volumes += removed
      if (removed === 0) break
    }
    report.freedBytes = before - volumeBytes(index)
    return report
  }

  /** Ends such volumes that are still being written: only what is sealed can be rewritten. */
  async #seal(isSuch: (volume: VolumeEntry) => boolean): Promise<void> {
    const { index, volumes } = this.#needs
    const active = [...index.volumes().values()].filter(({ state }) => state === 'active')
    const folders = new Set(active.filter(isSuch).map(({ folder }) => folder))
    for (const folder of folders) await volumes.seal(folder)
  }

  /** The emptiest first: they give the most room for the least work. */
  async #choose(deadShare: number): Promise<Set<number>> {
    const { index } = this.#needs
    const folders = index.folders()
    const candidates = [...index.volumes()]
      .filter(([, volume]) => volume.state === 'sealed' && volume.sizeBytes > 0)
      .filter(([, volume]) => {
        if (volume.isUrgent) return true
        return folders.get(volume.folder)?.mode === 'writable' && deadPart(volume) > deadShare
      })
      .sort(([, a], [, b]) => deadPart(b) - deadPart(a))
    return this.#needs.room.choose(candidates)
  }
}

function deadPart({ deadBytes, sizeBytes }: VolumeEntry): number {
  return deadBytes / sizeBytes
}

function volumeBytes(index: StoreIndex): number {
  let bytes = 0
  for (const { sizeBytes } of index.volumes().values()) bytes += sizeBytes
  return bytes
}
