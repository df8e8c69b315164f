// Imports archives: WARC (plain, gzip, zstd), ARC and WACZ, told apart by what is in them.
//
// Streaming: memory is bounded whatever the size of a file or record. Resumable: how far a source has got is remembered
// under its size and a digest of its ends, so it may be moved or renamed. Idempotent: what is here already is known by
// its URL, time, record id and payload, and costs no disk. What is there is kept, even where a digest in it is wrong;
// what cannot be read is reported with its place, and the rest goes on.

import { partOf } from './archive-part.ts'
import { formatOf } from './format.ts'
import { type ImportResult, noCounts, Problems } from './import-result.ts'
import { ImportRun, type ImportRunNeeds, type ImportRunOptions } from './import-run.ts'
import type { RevisitResolver } from './revisit-resolver.ts'
import { identityOf, type RandomAccess } from './source.ts'
import { openWacz } from './wacz-opening.ts'

export interface ImportOptions extends ImportRunOptions {
  /** Read it again although it was imported to its end before: for one whose captures have gone since. */
  again?: boolean | undefined
}

export class Importer {
  readonly #needs: ImportRunNeeds & { revisitResolver: RevisitResolver }

  constructor(needs: ImportRunNeeds & { revisitResolver: RevisitResolver }) {
    this.#needs = needs
  }

  async import(source: RandomAccess, options: ImportOptions = {}): Promise<ImportResult> {
    const identity = await identityOf(source)
    const format = await formatOf(source)
    const saved = options.again ? undefined : this.#needs.log.of(identity)
    const problems = new Problems()
    if (saved?.isDone) {
      const sizeBytes = await source.sizeBytes()
      const bytes = { doneBytes: sizeBytes, totalBytes: sizeBytes, resumedAtBytes: sizeBytes }
      return { ...noCounts(), ...bytes, format, wasDone: true, problems: [], problemCount: 0 }
    }
    const parts = format === 'wacz' ? await openWacz(source, problems) : [await partOf(source, format)]
    const run = new ImportRun(this.#needs, { identity, parts, saved, problems }, options)
    const resumedAtBytes = run.progress.doneBytes
    await run.run()
    if (run.isGain) await this.#needs.revisitResolver.settle()
    return {
      ...run.progress,
      format,
      resumedAtBytes,
      wasDone: false,
      problems: problems.listed,
      problemCount: problems.count,
    }
  }
}
