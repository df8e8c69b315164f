// What the threads of a crawler do, as those see it who ask for one thing only.

import type { VersionDifference } from '../../changes/page-change/page-change.ts'
import type { VersionWork } from '../../changes/page-change/version-work.ts'
import type { Looked, LookWork } from '../../changes/watches/look-work.ts'
import type { PageRead, PageWork } from '../../crawl/visit/page-work.ts'
import type { Compression } from '../../formats/warc/compression/compression.ts'
import type { Workers } from '../../platform/workers.ts'
import { recordDictionary } from '../../store/volumes/record-dictionary.ts'
import { PageEffort } from './page-effort.ts'
import type { PageThreadResult, PageThreadTask } from './page-task.ts'

/** Reading pages, which are compressed as there is time for, and signed with the key of this seed. */
export function pageWorkers(
  workers: Workers<PageThreadTask, PageThreadResult>,
  stored: Compression,
  threads: number,
  seed?: string,
): Workers<PageWork, PageRead> {
  const compression = compressionToSend(stored)
  const effort = compression && new PageEffort(compression, threads)
  const read = (page: PageWork, compression: Compression | undefined, transfer?: readonly ArrayBuffer[]) =>
    workers.run({ ...page, compression, seed }, transfer) as Promise<PageRead>
  return {
    run: (page, transfer) =>
      effort === undefined
        ? read(page, compression, transfer)
        : effort.spend((now) => read(page, now, transfer)),
    close: () => workers.close(),
  }
}

/** Comparing versions of pages. */
export function versionWorkers(
  workers: Workers<PageThreadTask, PageThreadResult>,
): Pick<Workers<VersionWork, VersionDifference>, 'run'> {
  return { run: (work, transfer) => workers.run(work, transfer) as Promise<VersionDifference> }
}

/** Looking at watched parts. */
export function lookWorkers(
  workers: Workers<PageThreadTask, PageThreadResult>,
): Pick<Workers<LookWork, Looked>, 'run'> {
  return { run: (work, transfer) => workers.run(work, transfer) as Promise<Looked> }
}

function compressionToSend(compression: Compression): Compression | undefined {
  if (compression.kind !== 'zstd') return compression
  const { dictionary, ...rest } = compression
  return dictionary === recordDictionary ? rest : undefined
}
