// The bytes of an exported WACZ 1.1.1: the WARC file as it is made, then its index, its pages, what became of their parts (where a browser
// showed some), and the manifest that lists all of them with their digests.

import { printWarcDate } from '../../model/timestamp.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PackageSigner } from '../../proof/package-signature.ts'
import type { Spool } from '../spool.ts'
import { ExternalSort } from './external-sort.ts'
import { PageList, type PageSource } from './page-list.ts'
import { PartReport, type PartTotals, partReportPath } from './part-report.ts'
import { blockLinesMax, indexLine, isIndexed, plainIndex, zipNumIndex } from './wacz-index.ts'
import type { WarcFileOptions } from './warc-file.ts'
import { type ZipEntry, type ZipWriter, zipBytes } from './zip-writing.ts'

const warcName = 'data.warc.gz'

interface WaczOptions {
  software: string
  title: string
  description?: string | undefined
  mainPageUrl?: string | undefined
  /** Listed as pages; all that are, when not given. */
  pages?: readonly { readonly cursor: string }[] | undefined
}

interface Needs {
  clock: Clock
  spool: Spool
  /** Of the captures in the WARC file. */
  source: PageSource
  /** Who signs the package, if anybody does. */
  signing?: { readonly packages: PackageSigner | undefined } | undefined
}

/** `warc` gives the bytes of the WARC file and tells of each record through its options. */
export function waczFile(
  needs: Needs,
  warc: (options: Pick<WarcFileOptions, 'filename' | 'whenWritten'>) => AsyncIterable<Uint8Array>,
  options: WaczOptions,
): AsyncGenerator<Uint8Array> {
  return zipBytes(needs.clock.nowMs(), async (zip) => {
    const lines = new ExternalSort(needs)
    const pages = new PageList(needs, 'All Pages')
    const parts = new PartReport(needs)
    const listed = options.pages && new Set(options.pages.map(({ cursor }) => cursor))
    try {
      const whenWritten: WarcFileOptions['whenWritten'] = async (exported, place) => {
        if (isIndexed(exported)) await lines.add(indexLine(exported, place, warcName))
        const isListed = listed === undefined || listed.has(exported.capture.cursor)
        if (exported.content !== undefined && isListed) await pages.add(exported.capture, exported.content)
        await parts.add(exported.capture)
      }
      const entries = [
        await zip.add(`archive/${warcName}`, warc({ filename: warcName, whenWritten }), false),
        ...(await addIndex(zip, lines)),
        await zip.add('pages/pages.jsonl', pages.chunks(), true),
      ]
      const { totals } = parts
      if (totals.pages > 0) entries.push(await zip.add(partReportPath, parts.chunks(), true))
      await addManifest(zip, entries, needs, { ...options, totals: totals.pages > 0 ? totals : undefined })
    } finally {
      await parts.discard()
      await lines.discard()
      await pages.discard()
    }
  })
}

async function addIndex(zip: ZipWriter, lines: ExternalSort): Promise<ZipEntry[]> {
  if (lines.count <= blockLinesMax) {
    return [await zip.add('indexes/index.cdx', plainIndex(lines.sorted()), true)]
  }
  const idx: string[] = []
  const index = await zip.add('indexes/index.cdx.gz', zipNumIndex(lines.sorted(), idx), false)
  return [index, await zip.add('indexes/index.idx', single(`${idx.join('\n')}\n`), true)]
}

async function addManifest(
  zip: ZipWriter,
  entries: readonly ZipEntry[],
  { clock, signing }: Pick<Needs, 'clock' | 'signing'>,
  {
    title,
    description,
    software,
    mainPageUrl,
    totals,
  }: WaczOptions & { readonly totals: PartTotals | undefined },
): Promise<void> {
  const created = printWarcDate(clock.nowMs())
  const manifest = {
    profile: 'data-package',
    wacz_version: '1.1.1',
    title,
    description,
    created,
    modified: created,
    software,
    mainPageUrl,
    parts: totals && { path: partReportPath, ...totals },
    resources: entries.map(({ path, hash, sizeBytes }) => ({
      name: path.slice(path.lastIndexOf('/') + 1),
      path,
      hash,
      bytes: sizeBytes,
    })),
  }
  const { hash } = await zip.add('datapackage.json', single(`${JSON.stringify(manifest, null, 2)}\n`), true)
  const signedData = signing?.packages?.sign(hash, created, software)
  const digest = { path: 'datapackage.json', hash, ...(signedData && { signedData }) }
  await zip.add('datapackage-digest.json', single(`${JSON.stringify(digest, null, 2)}\n`), true)
}

async function* single(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
