// `polyhistor changes`: what has changed on the sites of the archive, a line for each event; NDJSON where no person reads along.

import { join } from 'node:path'
import { changesOfHome } from '../../../app/changes/home-changes.ts'
import type { ChangeEvent } from '../../../changes/change-event.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { runningPeer } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'
import { withStoreToRead } from '../../with-store.ts'

interface Options {
  follow?: boolean
  since?: string
  site?: string
  host?: string
  prefix?: string
  pattern?: string
  kind?: string
  minChange?: string
  job?: string
  all?: boolean
}

type Line = Partial<ChangeEvent> & { readonly cursor: string; readonly gap?: { readonly upTo: string } }

export async function showChanges(context: Context, _words: string[], options: Options): Promise<ExitCode> {
  const { terminal } = context
  const isJson = context.isJson || terminal.width === Number.POSITIVE_INFINITY
  const { follow: isFollowing = false, all: isAll = false, since, ...filters } = options
  const query: Record<string, string> = {
    ...filters,
    ...(isAll || isJson ? {} : { documents: 'true', cosmetic: 'false' }),
    // Who looks on wants to see what happens, not a month of what did.
    ...(since !== undefined ? { since } : isFollowing && { since: 'now' }),
  }
  let count = 0
  let cursor = ''
  const show = async (line: Line): Promise<void> => {
    cursor = line.cursor
    if (line.id === undefined && line.gap === undefined) return
    count++
    if (isJson) await terminal.printJson(line)
    else await terminal.printLine(shown(line))
  }
  const peer = await runningPeer(context)
  if (peer !== undefined) {
    const asked = { ...query, follow: String(isFollowing), cursors: 'true' }
    for await (const line of peer.lines<Line>('/api/v1/changes', asked)) await show(line)
  } else {
    if (isFollowing)
      throw new UsageError(
        'Nothing changes while no peer runs on this home: start one (polyhistor peer), or leave out --follow.',
      )
    await withStoreToRead(context, async (store) => {
      for await (const line of changesOfHome(join(context.home.folder, 'crawl'), store, query))
        await show(JSON.parse(line) as Line)
    })
  }
  if (count === 0 && !isJson) terminal.tell('No such changes are known.')
  if (!isJson && cursor !== '') terminal.tell(`To go on from here: --since ${cursor}`)
  return exitCodes.ok
}

function shown(line: Line): string {
  if (line.gap !== undefined) return `---  Changes up to ${line.gap.upTo} are not kept any more.`
  const { time = '', kind = '', url = '' } = line
  const facts = [time.slice(0, 19).replace('T', ' '), kind.padEnd(7), url]
  const details = detailsOf(line as ChangeEvent)
  if (details.length > 0) facts.push(`(${details.join(', ')})`)
  return facts.join('  ').replace(/[\u0000-\u001f\u007f-\u009f]/g, '?')
}

function detailsOf(event: ChangeEvent): string[] {
  const { kind, status, failures, wordShare, linksAdded = 0, linksRemoved = 0, title, titleBefore } = event
  const details: string[] = []
  if (kind === 'gone') details.push(failures === undefined ? `status ${status}` : `failed ${failures} times`)
  if (event.target !== undefined) details.push(`to ${event.target}`)
  if (wordShare !== undefined) details.push(`${Math.round(wordShare * 100)} % of its words`)
  if (linksAdded + linksRemoved > 0) details.push(`links +${linksAdded} -${linksRemoved}`)
  if (title !== undefined && title !== titleBefore) details.push(`now "${title}"`)
  if (event.bytes !== undefined) details.push(bytesOf(event))
  if (event.cosmetic) details.push(cosmeticOf(event))
  return details
}

/** With why it counts as that. */
function cosmeticOf({ ignored = [] }: ChangeEvent): string {
  const reasons = new Set(ignored.map(({ path, reason }) => (path === '' ? reason : `${path} (${reason})`)))
  return reasons.size === 0 ? 'cosmetic' : `cosmetic: ${[...reasons].join('; ')}`
}

function bytesOf({ bytes, bytesBefore }: ChangeEvent): string {
  return bytesBefore === undefined ? `${bytes} bytes` : `${bytesBefore} -> ${bytes} bytes`
}
