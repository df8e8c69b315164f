// `polyhistor versions URL`: what the archive has of a URL.

import type { Capture } from '../../app/store/store-library.ts'
import { captureJson } from '../../model/capture-json.ts'
import { printTimestampMs } from '../../model/timestamp.ts'
import { type Url, urlFromTyped } from '../../model/url/url.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { timeRange } from '../input/option-values.ts'
import { short } from '../output/progress.ts'
import { formatTable } from '../output/table.ts'
import type { PeerClient } from '../peer/peer-client.ts'
import { withArchiveToRead } from '../peer/running-peer.ts'

interface Options {
  from?: string
  to?: string
  limit?: number
  newestFirst?: boolean
}

type Range = ReturnType<typeof timeRange> & { reverse: boolean; limit?: number }
type Version = ReturnType<typeof captureJson>

export async function showVersions(context: Context, words: string[], options: Options): Promise<ExitCode> {
  const url = urlFromTyped(words[0]!)
  const { limit } = options
  const range = {
    ...timeRange(options),
    reverse: options.newestFirst === true,
    ...(limit !== undefined && { limit }),
  }
  return withArchiveToRead(context, {
    store: async (store) => show(context, url, mapped(store.versions(url, range))),
    peer: (peer) => show(context, url, versionsOf(peer, url, range)),
  })
}

async function show(
  { terminal, isJson }: Context,
  url: Url,
  versions: Iterable<Version> | AsyncIterable<Version>,
): Promise<ExitCode> {
  let count = 0
  const shown: Version[] = []
  for await (const version of versions) {
    count++
    if (isJson) await terminal.printJson(version)
    else shown.push(version)
  }
  if (count === 0) terminal.tell(`There is no version of ${url.href} in this archive.`)
  else if (!isJson) await terminal.printLine(tableOf(shown, terminal.width))
  return count === 0 ? exitCodes.no : exitCodes.ok
}

function* mapped(captures: Iterable<Capture>): Generator<Version> {
  for (const capture of captures) yield captureJson(capture)
}

function versionsOf(peer: PeerClient, url: Url, range: Range): AsyncIterable<Version> {
  const { fromMs, toMs, reverse, limit } = range
  return peer.lines('/api/v1/versions', {
    url: url.href,
    from: fromMs === undefined ? undefined : printTimestampMs(fromMs),
    to: toMs === undefined ? undefined : printTimestampMs(toMs - 1),
    limit: limit === undefined ? undefined : String(limit),
    reverse: String(reverse),
  })
}

/** URLs that differ in what their key leaves out (capitals, order of parameters, www) are told apart where there are several. */
function tableOf(versions: readonly Version[], width: number): string {
  const hasSiblings = versions.some(({ url }) => url !== versions[0]!.url)
  if (!hasSiblings) return formatTable(head, versions.map(asRow), width)
  const rows = versions.map((version) => [...asRow(version), version.url])
  return formatTable([...head, 'URL'], rows, width)
}

const head = ['time', 'status', 'type', 'size', 'stored', 'kept as', 'content']

function asRow(version: Version): string[] {
  return [
    version.timestamp,
    String(version.status || '-'),
    version.mime || '-',
    short(version.payloadBytes),
    short(version.storedBytes),
    version.kind,
    version.content === null ? '-' : `${version.content.slice(0, 23)}…`,
  ]
}
