// `polyhistor export FILE`: captures as a .warc.gz or .wacz file.
//
// Written beside its name and renamed when it is whole: a file that is there is never replaced by half of another.

import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { capturesOfPage } from '../../../app/pages/page-captures.ts'
import { profileOf } from '../../../app/profiles/profile-home.ts'
import type { Capture, ExportResult, Selection, Store } from '../../../app/store/store-library.ts'
import { anyTime } from '../../../model/capture-choice.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import { storeArchive } from '../../../network/remote-reads/archive/readable-archive.ts'
import { asDiskError } from '../../../platform/real/disk/failure.ts'
import { DiskError } from '../../../platform/storage/disk.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { type SelectionOptions, selectionOf, timeRange, timeSpan } from '../../input/option-values.ts'
import { listenForInterruption } from '../../interruption.ts'
import { Progress, short } from '../../output/progress.ts'
import { exportFromPeer, type WantedPage } from '../../peer/peer-export.ts'
import { withArchiveToRead } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'
import { exportTables, isTableExport } from './export-tables.ts'

interface Options extends SelectionOptions {
  table?: string
  job?: string
  partitioned?: boolean
  from?: string
  to?: string
  page?: string
  at?: string
  title?: string
  force?: boolean
  private?: boolean
}

const problemsShown = 10

export async function exportFile(context: Context, [file]: string[], options: Options): Promise<ExitCode> {
  if (!options.private && (await profileOf(context.home.folder)) !== undefined)
    throw new UsageError(
      'What is archived with a profile is private, and may hold what only you were shown, and cookies that make others you. Say --private to put it into a file all the same.',
    )
  if (isTableExport(file!)) return exportTables(context, file!, options)
  const format = formatOf(file!)
  const range = timeRange(options)
  const selection = selectedBy(options)
  const page = pageOf(options)
  if (file !== '-' && !options.force && (await stat(file!).catch(() => undefined)) !== undefined) {
    throw new UsageError(`${file} exists. Choose another name, or say --force to replace it.`)
  }
  if (file !== '-') await checkFolderOf(file!)
  const interruption = listenForInterruption(() =>
    context.terminal.tell('Stopping; what was written is removed.'),
  )
  const progress = new Progress(context.terminal, `Exporting ${file}`, { ...context, unit: 'captures' })
  try {
    const request = { format, selection, ...range, page, title: options.title }
    const result = await withArchiveToRead(context, {
      store: async (store) => {
        const parts = page && (await partsOf(store, page))
        const { chunks, result } = store.export({
          ...request,
          ...parts,
          title: options.title ?? parts?.title,
          filename: file === '-' ? undefined : basename(file!),
          signal: interruption.signal,
          whenProgress: ({ doneCaptures, totalCaptures, writtenBytes }) =>
            progress.show({ done: doneCaptures, total: totalCaptures, detail: short(writtenBytes) }),
        })
        await write(context, file!, chunks)
        return result
      },
      peer: (peer) =>
        exportFromPeer(peer, request, interruption.signal, (chunks) => write(context, file!, chunks)),
    })
    progress.end()
    await report(context, file!, result)
    return result.failed > 0 || result.exported === 0 ? exitCodes.no : exitCodes.ok
  } catch (error) {
    if (interruption.signal.aborted) return exitCodes.interrupted
    throw error
  } finally {
    progress.end()
    interruption.release()
  }
}

function pageOf({ page, at }: Options): WantedPage | undefined {
  if (page === undefined && at !== undefined) throw new UsageError('--at goes with --page URL.')
  return page === undefined
    ? undefined
    : { url: urlFromTyped(page), span: at === undefined ? anyTime : timeSpan('--at', at) }
}

/** The page and what it needs; nothing at all, when it is not there. */
async function partsOf(store: Store, { url, span }: WantedPage) {
  const found = await capturesOfPage(storeArchive(store), url, span)
  if (found === undefined) return { captures: [] }
  const { page, captures } = found
  // The store's own, handed through.
  return { captures: captures as Capture[], pages: [page], mainPageUrl: page.url, title: page.url }
}

/** Before anything is read: an archive may take hours. */
async function checkFolderOf(file: string): Promise<void> {
  const folder = dirname(resolve(file))
  const info = await stat(folder).catch(() => undefined)
  if (info?.isDirectory()) return
  throw new DiskError('disk-not-found', folder, `${file} cannot be written: there is no folder ${folder}.`)
}

function formatOf(file: string): 'warc' | 'wacz' {
  if (file === '-' || file.endsWith('.warc.gz')) return 'warc'
  if (file.endsWith('.wacz')) return 'wacz'
  throw new UsageError(
    `${file} must end in .warc.gz, .wacz or .parquet, which says what to write, or in / for a folder of tables.`,
  )
}

function selectedBy(options: Options): Selection | undefined {
  const selection = selectionOf(options)
  if (selection?.kind !== 'url' && selection?.kind !== 'prefix') return selection
  return { ...selection, url: urlFromTyped(selection.url).href }
}

async function write({ terminal }: Context, file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  if (file === '-') {
    for await (const chunk of chunks) await terminal.print(chunk)
    return
  }
  const draft = `${file}.part`
  try {
    await pipeline(chunks, createWriteStream(draft, { flush: true }))
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw asDiskError(draft, 'write', error)
  }
}

async function report(
  { terminal, isJson, isQuiet }: Context,
  file: string,
  result: ExportResult,
): Promise<void> {
  if (isJson && file !== '-') return terminal.printJson({ file, ...result })
  for (const { url, message } of result.problems.slice(0, problemsShown)) terminal.tell(`${url}: ${message}`)
  if (result.failed > problemsShown) terminal.tell(`… and ${result.failed - problemsShown} more left out.`)
  if (result.exported === 0) terminal.tell('Nothing in this archive is selected: the file is empty.')
  else if (!isQuiet) {
    const sentence = `${file}: ${result.exported} captures, ${short(result.writtenBytes)}.${result.failed > 0 ? ` ${result.failed} could not be read and are left out.` : ''}`
    if (file === '-') terminal.tell(sentence)
    else await terminal.printLine(sentence)
  }
}
