// `polyhistor status`: whether everything is safe: peers, copies, repair, links, disk.

import { type AwayPeer, type NetworkStatus, type NetworkSums, stateOf } from '../../../model/peer-status.ts'
import { printMinute } from '../../../model/timestamp.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { short } from '../../output/progress.ts'
import { formatTable } from '../../output/table.ts'
import { askPeer } from '../../peer/ring-question.ts'

const barWidth = 40
const awayShown = 10

/** With 1 when somebody should look at it. */
export async function showStatus(context: Context): Promise<ExitCode> {
  const { terminal, isJson } = context
  const status = await askPeer<NetworkStatus>(context, '/api/v1/status')
  if (isJson) await terminal.printJson(status)
  else await terminal.printLine(statusText(status, terminal.width))
  return status.warnings.length > 0 ? exitCodes.no : exitCodes.ok
}

export function statusText(status: NetworkStatus, width: number): string {
  return status.network.name === '' ? ownText(status) : networkText(status, width)
}

/** Who never wanted a network is told of no copies, links and shares. */
function ownText({ peers, sums, lacks, warnings }: NetworkStatus): string {
  const captures = peers.reduce((sum, { status }) => sum + (status?.captures ?? 0), 0)
  return [
    ...warnings.map((warning) => `Warning  ${warning}`),
    ...peers.map(({ status }) => `State    ${status ? stateOf(status) : 'unknown'}`),
    `Archive  ${counted(captures, 'capture')}, ${short(sums.usedBytes)} on disk`,
    `Rot      ${rotText(sums)}`,
    'Network  none: this peer keeps all there is',
    ...lacks.map((lack) => `Lacks    ${lack}`),
  ].join('\n')
}

function networkText(status: NetworkStatus, width: number): string {
  const { network, peers, away, sums, copiesWanted, lacks, warnings } = status
  const silent = peers.filter((peer) => !peer.status).length
  const { links } = sums
  const lines = [
    ...warnings.map((warning) => `Warning  ${warning}`),
    `Network  ${network.name}: ${counted(peers.length, 'peer')}${silent > 0 ? `, of which ${silent} did not answer` : ''}`,
    `Copies   ${counted(copiesWanted, 'copy', 'copies')} wanted of ${counted(sums.entries, 'entry', 'entries')}`,
    ...histogramLines(sums.histogram, copiesWanted),
    `Repair   ${repairText(sums)}`,
    `Links    ${links.sent} sent, ${links.received} received, ${links.waiting} waiting${links.waiting > 0 ? ` (the oldest for ${seconds(links.oldestMs)})` : ''}`,
    `Rot      ${rotText(sums)}`,
    `Disk     ${short(sums.usedBytes)} of ${short(sums.shareBytes)} given`,
    ...auditLines(status.audits),
    ...newcomerLines(status.newcomers ?? []),
    ...volunteerLines(status.volunteers ?? []),
    ...noticeLines(status.notices),
    ...awayLines(away),
    ...lacks.map((lack) => `Lacks    ${lack}`),
  ]
  return `${lines.join('\n')}\n\n${peersTable(status, width)}`
}

function auditLines(audits: NetworkStatus['audits']): string[] {
  if (audits === undefined || audits.audits === 0) return []
  const { right, wrong, late, lacking } = audits
  const excluded = audits.peers.filter(({ isExcluded }) => isExcluded)
  return [
    `Audits   ${audits.audits} in ${counted(audits.rounds, 'round')}: ${right} right, ${wrong} wrong, ${late} late, ${lacking} without what was to be there`,
    ...excluded.map(
      ({ peer, excludedUntilMs }) =>
        `         …${peer.slice(-8)} does not count as a holder until ${printMinute(excludedUntilMs)} !`,
    ),
  ]
}

function newcomerLines(newcomers: NonNullable<NetworkStatus['newcomers']>): string[] {
  return newcomers.map(({ peer, sinceMs, asked, shown, vouchers, vouchersMin }, index) => {
    const seen =
      sinceMs === 0
        ? 'has not shown its spare copy yet'
        : `showed its spare copy ${shown} of ${asked} times since ${printMinute(sinceMs)}`
    return `${index === 0 ? 'Newcomer' : '        '} …${peer.slice(-8)} on probation: ${seen}, ${vouchers} of ${vouchersMin} vouch for it`
  })
}

function noticeLines(notices: NetworkStatus['notices']): string[] {
  if (notices === undefined || notices.quarantined + notices.refused === 0) return []
  const { quarantined, refused } = notices
  return [
    `Notices  ${quarantined} invalid announcements in quarantine, ${refused} of other peers refused since the start`,
  ]
}

function volunteerLines(volunteers: NonNullable<NetworkStatus['volunteers']>): string[] {
  if (volunteers.length === 0) return []
  const pages = volunteers.reduce((sum, { fetched }) => sum + fetched, 0)
  const bytes = volunteers.reduce((sum, one) => sum + one.bytes, 0)
  const barred = volunteers.filter(({ state }) => state === 'barred').length
  const shutOut = barred === 0 ? '' : `, ${barred} shut out for what they brought !`
  return [
    `Volunt.  ${counted(volunteers.length, 'volunteer')}, ${counted(pages, 'page')}, ${short(bytes)}${shutOut}`,
  ]
}

function repairText({ queue, sitesToCopy, bytesPerSecond }: NetworkSums): string {
  const todo = [
    ...(queue === 0 ? [] : [`${counted(queue, 'entry', 'entries')} to copy, ${short(bytesPerSecond)}/s`]),
    ...(sitesToCopy === 0 ? [] : [`the queues of ${counted(sitesToCopy, 'site')} to copy`]),
  ]
  return todo.join('; ') || 'nothing to do'
}

function rotText({ soundness }: NetworkSums): string {
  const { passedAtMs, found, mended, damaged } = soundness
  const read =
    passedAtMs === null
      ? 'not everything has been read to find any yet'
      : `everything was last read to find any by ${printMinute(passedAtMs)}`
  return `${read}; ${found} found, ${mended} mended${damaged > 0 ? `, ${damaged} not mended !` : ''}`
}

/** A bar for each number of copies. What is short of copies is marked, also where colours are not seen. */
function histogramLines(histogram: readonly number[], wanted: number): string[] {
  const most = Math.max(1, ...histogram)
  const length = Math.max(histogram.length, wanted + 1)
  return Array.from({ length }, (_, copies) => {
    const entries = histogram[copies] ?? 0
    const bar = '█'.repeat(entries === 0 ? 0 : Math.max(1, Math.round((barWidth * entries) / most)))
    const mark = entries > 0 && copies < wanted ? ' !' : ''
    return `       ${String(copies).padStart(2)} ${bar}${bar === '' ? '' : ' '}${entries}${mark}`
  })
}

function peersTable({ peers }: NetworkStatus, width: number): string {
  const rows = peers.map(({ peer, status }, index) => {
    const name = `…${peer.slice(-8)}${index === 0 ? ' (us)' : ''}`
    if (!status) return [name, 'no answer', '', '', '', '', '']
    const { captures, copies, sites, links, share } = status
    return [
      name,
      stateOf(status),
      String(captures),
      `${short(share.usedBytes)} of ${short(share.shareBytes)}`,
      String(sites.crawled),
      String(copies.queue),
      String(links.waiting),
    ]
  })
  return formatTable(
    ['peer', 'state', 'captures', 'disk', 'sites crawled', 'to copy', 'links waiting'],
    rows,
    width,
  )
}

function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`
}

function awayLines(away: readonly AwayPeer[]): string[] {
  const shown = away.slice(0, awayShown)
  const more = away.length - shown.length
  return [
    ...shown.map(
      ({ peer, sinceMs, untilMs }) =>
        `Away     …${peer.slice(-8)} since ${printMinute(sinceMs)}, waited for until ${printMinute(untilMs)}`,
    ),
    ...(more > 0 ? [`         and ${more} more`] : []),
  ]
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
