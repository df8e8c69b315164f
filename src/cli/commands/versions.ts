// `polyhistor versions URL`: what the archive has of a URL.

import { printTimestamp } from '../../record/timestamp.ts'
import { urlFromTyped } from '../../record/url.ts'
import { type Capture, printContentKey } from '../../store-library.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { timeRange } from '../option-values.ts'
import { short } from '../progress.ts'
import { formatTable } from '../table.ts'
import { withStore } from '../with-store.ts'

interface Options {
  from?: string
  to?: string
  limit?: number
  newestFirst?: boolean
}

export async function showVersions(context: Context, words: string[], options: Options): Promise<ExitCode> {
  const { terminal, isJson } = context
  const url = urlFromTyped(words[0]!)
  const range = { ...timeRange(options), reverse: options.newestFirst === true }
  return withStore(context, async (store) => {
    const versions = store.versions(
      url,
      options.limit === undefined ? range : { ...range, limit: options.limit },
    )
    let count = 0
    const rows: string[][] = []
    for (const capture of versions) {
      count++
      if (isJson) await terminal.printJson(asJson(capture))
      else rows.push(asRow(capture))
    }
    if (count === 0) terminal.tell(`There is no version of ${url.href} in this archive.`)
    else if (!isJson) await terminal.printLine(formatTable(head, rows, terminal.width))
    return count === 0 ? exitCodes.no : exitCodes.ok
  })
}

const head = ['time', 'status', 'type', 'size', 'stored', 'kept as', 'content']

function asRow(capture: Capture): string[] {
  return [
    printTimestamp(capture.capturedAtMs),
    String(capture.status || '-'),
    capture.mime || '-',
    short(capture.payloadBytes),
    short(capture.storedBytes),
    capture.kind,
    capture.content === undefined ? '-' : `${printContentKey(capture.content).slice(0, 23)}…`,
  ]
}

function asJson(capture: Capture): object {
  const { url, surt, status, mime, kind, payloadBytes, storedBytes, recordId } = capture
  return {
    url,
    surt,
    timestamp: printTimestamp(capture.capturedAtMs),
    capturedAt: new Date(capture.capturedAtMs).toISOString(),
    status,
    mime,
    kind,
    content: capture.content === undefined ? null : printContentKey(capture.content),
    payloadBytes,
    storedBytes,
    recordId,
  }
}
