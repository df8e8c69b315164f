// When views of pages were kept, by whoever keeps them: for lists, which do not wait for pictures.
//
// Asked of the whole archive, within a time; whoever is late or cannot be asked is done without, and so is everybody for a while
// after one was late: a list of a hundred pages waits once.

import { unlessFails } from '../../errors.ts'
import { allOf } from '../../model/listed.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import { type Clock, within } from '../../platform/clock.ts'
import type { Store } from '../../store/store.ts'
import type { PageArchive } from '../../ui/archive.ts'

const waitMsMax = 1_000
const pauseMs = 5_000

interface Needs {
  readonly archive: Pick<ReadableArchive, 'versions'>
  /** This peer's own. */
  readonly store: Pick<Store, 'versions'>
  readonly clock: Clock
}

export function viewTimes({ archive, store, clock }: Needs): PageArchive['viewTimes'] {
  let resumesAtMs = Number.NEGATIVE_INFINITY
  return async (url, options) => {
    const own = () => Array.from(store.versions(url, options), ({ capturedAtMs }) => capturedAtMs)
    if (clock.monotonicMs() < resumesAtMs) return own()
    const listing = (async () => allOf(archive.versions(url, options)))()
    const found = await within(clock, waitMsMax, unlessFails(listing))
    if (found !== undefined) return found.map(({ capturedAtMs }) => capturedAtMs)
    resumesAtMs = clock.monotonicMs() + pauseMs
    return own()
  }
}
