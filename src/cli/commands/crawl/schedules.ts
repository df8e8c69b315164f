// `polyhistor schedules`: crawls that are begun at their times, listed, paused and removed. `polyhistor crawl --every …` makes them.

import { join } from 'node:path'
import { parseJobTimes, scheduleJson, withSchedules } from '../../../app/crawl/home-schedules.ts'
import type { ScheduleService } from '../../../model/jobs/job-schedule.ts'
import type { JobRequest } from '../../../model/jobs/job-service.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { formatTable, minute } from '../../output/table.ts'
import type { PeerClient } from '../../peer/peer-client.ts'
import { refuseAlone } from '../../peer/refuse-alone.ts'
import { withArchive, withArchiveToRead } from '../../peer/running-peer.ts'

interface Shown {
  readonly id: string
  readonly every?: string
  readonly cron?: string
  readonly at?: string
  readonly paused: boolean
  readonly next: string | null
  readonly request: { readonly seeds: readonly string[]; readonly scope: string }
  readonly runs: readonly { at: string; job: string; ending: string | null; fetched: number | null }[]
}

const path = '/api/v1/schedules'

export async function listSchedules(context: Context): Promise<ExitCode> {
  const schedules = await withArchiveToRead<Shown[]>(context, {
    store: (store) =>
      withSchedules(
        crawlFolder(context),
        store,
        async (service) => (await service.list()).map(scheduleJson) as Shown[],
      ),
    peer: async (peer) => (await peer.get<{ schedules: Shown[] }>(path)).schedules,
  })
  if (context.isJson) await context.terminal.printJson({ schedules })
  else await show(context, schedules)
  return exitCodes.ok
}

export function pauseSchedule(context: Context, [id]: string[]): Promise<ExitCode> {
  return change(
    context,
    `Paused schedule ${id}.`,
    (service) => service.pause(id!),
    (peer) => peer.post(`${path}/${id}/pause`),
  )
}

export function resumeSchedule(context: Context, [id]: string[]): Promise<ExitCode> {
  return change(
    context,
    `Resumed schedule ${id}.`,
    (service) => service.resume(id!),
    (peer) => peer.post(`${path}/${id}/resume`),
  )
}

export function removeSchedule(context: Context, [id]: string[]): Promise<ExitCode> {
  return change(
    context,
    `Removed schedule ${id}.`,
    (service) => service.remove(id!),
    (peer) => peer.delete(`${path}/${id}`),
  )
}

/** For `polyhistor crawl` with times. */
export async function addSchedule(
  context: Context,
  request: JobRequest,
  written: Parameters<typeof parseJobTimes>[0],
): Promise<ExitCode> {
  const { budgets, ...job } = request
  const times = parseJobTimes(written)
  let runsHere = true
  const schedule = await withArchive<Shown>(context, {
    store: async (store) => {
      runsHere = false
      await refuseAlone(context, 'the schedule')
      return withSchedules(
        crawlFolder(context),
        store,
        async (service) => scheduleJson(await service.add(request, times)) as Shown,
      )
    },
    peer: (peer) => peer.post<Shown>(path, { ...job, ...budgets, ...written }),
  })
  if (context.isJson) await context.terminal.printJson(schedule)
  else {
    await context.terminal.printLine(`Schedule ${schedule.id}: ${whenWords(schedule)}`)
    if (!runsHere) context.terminal.tell('It is begun when a peer runs: start one with polyhistor peer.')
  }
  return exitCodes.ok
}

async function change(
  context: Context,
  done: string,
  store: (service: ScheduleService) => unknown,
  peer: (peer: PeerClient) => Promise<unknown>,
): Promise<ExitCode> {
  await withArchive<unknown>(context, {
    store: async (opened) => {
      await refuseAlone(context, 'this')
      return withSchedules(crawlFolder(context), opened, async (service) => store(service))
    },
    peer,
  })
  if (context.isJson) await context.terminal.printJson({ ok: true })
  else context.terminal.tell(done)
  return exitCodes.ok
}

async function show({ terminal }: Context, schedules: readonly Shown[]): Promise<void> {
  if (schedules.length === 0) return terminal.printLine('No crawls are scheduled.')
  const rows = schedules.map((schedule) => {
    const { id, request, runs, paused, next } = schedule
    const [last] = runs
    const more = request.seeds.length > 1 ? ` and ${request.seeds.length - 1} more` : ''
    return [
      id,
      whenWords(schedule),
      paused ? 'paused' : next === null ? 'over' : minute(next),
      last === undefined ? '-' : minute(last.at),
      `${request.seeds[0]}${more}`,
    ]
  })
  await terminal.printLine(
    formatTable(['schedule', 'when', 'next', 'last', 'crawl of'], rows, terminal.width),
  )
}

function whenWords({ every, cron, at }: Shown): string {
  return every !== undefined ? `every ${every}` : cron !== undefined ? cron : `once, ${minute(at!)}`
}

function crawlFolder({ home }: Context): string {
  return join(home.folder, 'crawl')
}
