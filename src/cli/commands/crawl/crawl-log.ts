// `polyhistor crawl log`: what happened to each URL, and why.

import { join } from 'node:path'
import type { CrawlLogLine } from '../../../app/crawl/crawler.ts'
import { openCrawlLogToRead } from '../../../app/crawl/crawler-to-ask.ts'
import type { Context } from '../../context.ts'
import { runningPeer } from '../../peer/running-peer.ts'

interface Options {
  url?: string
  outcome?: string
  job?: string
}

export async function showCrawlLog(context: Context, _words: string[], options: Options): Promise<undefined> {
  const peer = await runningPeer(context)
  if (peer !== undefined) {
    const lines = peer.lines<CrawlLogLine>('/api/v1/log', { ...options })
    await show(context, lines)
    return undefined
  }
  const log = await openCrawlLogToRead(join(context.home.folder, 'crawl'))
  await show(context, log.read({ urlPart: options.url, outcome: options.outcome, jobId: options.job }))
  await log.close()
  return undefined
}

async function show({ terminal, isJson }: Context, lines: AsyncIterable<CrawlLogLine>): Promise<void> {
  let isEmpty = true
  for await (const line of lines) {
    isEmpty = false
    if (isJson) await terminal.printJson({ ...line, at: new Date(line.atMs).toISOString() })
    else await terminal.printLine(asLine(line))
  }
  if (isEmpty && !isJson) terminal.tell('The crawl log has no such lines.')
}

function asLine({ atMs, outcome, status, bytes, url, via, reason }: CrawlLogLine): string {
  const time = new Date(atMs).toISOString().slice(0, 19)
  const facts = [
    time,
    outcome.padEnd(8),
    String(status ?? '-').padStart(3),
    String(bytes ?? '-').padStart(9),
    url,
  ]
  if (reason) facts.push(`(${reason})`)
  if (via) facts.push(`<- ${via}`)
  return facts.join('  ').replace(/[\u0000-\u001f]/g, '?')
}
