// The archive's own pages: home, crawls, status, contributors; and the two forms, to read and to archive.

import { parseJobTimes } from '../../crawl/jobs/job-times.ts'
import { PolyhistorError } from '../../errors.ts'
import { firstOf } from '../../model/listed.ts'
import type { NetworkStatus } from '../../model/peer-status.ts'
import { tryParseUrl, UrlError, urlFromTyped } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { SearchService } from '../../search/search-answer.ts'
import { archivedUrl } from '../address.ts'
import {
  type ArchiveRequest,
  type PageArchive,
  type PageJob,
  type PageJobs,
  type PageOwner,
  type PageSiteNames,
  requestScopes,
  type TitleOf,
} from '../archive.ts'
import { lastWord, type PageRequest, type PageRoute, pageAnswer, queryOf, redirectAnswer } from '../http.ts'
import type { Layout, Screen } from '../markup/layout.ts'
import { calendarPath, jobPath, prefixPath, searchPath, versionPath } from '../markup/links.ts'
import { PageError } from '../page-error.ts'
import { failureScreen } from '../screens/failure.ts'
import { homeScreen } from '../screens/home.ts'
import { jobScreen, jobsScreen, seedsShownMax } from '../screens/jobs/jobs.ts'
import { contributorsScreen } from '../screens/status/contributors.ts'
import { statusScreen } from '../screens/status/status.ts'
import { takingInScreen } from '../screens/taking-in.ts'
import { siteListOf } from '../site-list.ts'
import { withThumbnails } from '../thumbnails.ts'
import { areWords } from '../typed-words.ts'
import { outcomeOf } from '../version-state.ts'
import { archivingForm } from './archiving-form.ts'

interface Needs {
  readonly archive: PageArchive
  readonly siteNames: PageSiteNames
  readonly titleOf: TitleOf
  readonly search?: SearchService | undefined
  readonly jobs: PageJobs
  readonly owner: PageOwner
  readonly layout: Layout
  readonly breathe: () => Promise<void>
  readonly networkStatus?: (() => Promise<NetworkStatus>) | undefined
}

const recentMax = 8
const sitesMax = 8
const jobsMax = 50
const runningMax = 10
/** Of one form: the missing parts of a page come together. */
const urlsPerRequestMax = 200

export function ownRoutes(needs: Needs): PageRoute[] {
  const { archive, jobs, layout, owner } = needs
  const page = (path: RegExp, screen: (request: PageRequest) => Screen | Promise<Screen>): PageRoute => ({
    methods: ['GET'],
    host: 'archive',
    path,
    isPage: true,
    handle: async (request) => pageAnswer(request, 200, layout.page(await screen(request))),
  })
  return [
    page(/^\/$/, (request) => home(needs, request)),
    page(/^\/jobs$/, async (request) =>
      jobsScreen({
        jobs: await jobs.list(jobsMax),
        schedules: (await jobs.schedules.list()).slice(0, jobsMax),
        trouble: jobs.trouble(),
        isOwner: owner.isOwner(request),
      }),
    ),
    page(/^\/jobs\/[^/]+$/, (request) => job(needs, lastWord(request.target), owner.isOwner(request))),
    {
      methods: ['POST'],
      host: 'archive',
      path: /^\/jobs\/[^/]+$/,
      isPage: true,
      writes: true,
      handle: async (request) => control(needs, lastWord(request.target), await request.text()),
    },
    {
      methods: ['POST'],
      host: 'archive',
      path: /^\/schedules\/[^/]+$/,
      isPage: true,
      writes: true,
      handle: async (request) => controlSchedule(needs, lastWord(request.target), await request.text()),
    },
    page(/^\/taking-in$/, (request) => takingInScreen(owner.isOwner(request))),
    page(/^\/status$/, async () => {
      const running = (await jobs.list(jobsMax)).filter(({ state }) => state === 'running')
      return statusScreen({
        totals: await archive.totals(),
        running: running.slice(0, runningMax),
        trouble: jobs.trouble(),
        network: await needs.networkStatus?.(),
      })
    }),
    page(/^\/contributors$/, async () => contributorsScreen(await needs.networkStatus?.())),
    {
      methods: ['GET'],
      host: 'archive',
      path: /^\/go$/,
      isPage: true,
      handle: async (request) => go(needs, request),
    },
    {
      methods: ['POST'],
      host: 'archive',
      path: /^\/save$/,
      isPage: true,
      writes: true,
      handle: async (request) => save(needs, request),
    },
  ]
}

/** Pictures bear the time of the capture, lists that of its end. */
const nearMs = 60 * 60_000

async function home(needs: Needs, request: PageRequest): Promise<Screen> {
  const { archive, owner } = needs
  const recent = (await archive.recent(3 * recentMax)).filter((capture) => outcomeOf(capture) === 'good')
  return homeScreen({
    totals: await archive.totals(),
    recent: await withThumbnails(archive, recent.slice(0, recentMax), (capture) => capture, nearMs),
    sites: await siteListOf(needs, { limit: sitesMax }),
    isOwner: owner.isOwner(request),
    hasSearch: needs.search !== undefined,
  })
}

/** Where an address of ours can lead. Never `//`, which would be another host. */
const ownPattern = /^\/(?:web|diff|search|sites?|jobs|status|settings|interfaces|visits|rules|admin)(?:\/|$)/

/** Of words to look for. */
const wordsCharsMax = 2_000

/** What was typed: words to look for, a URL, one with a star behind it, or an address of this archive pasted whole. */
async function go({ archive, search }: Needs, request: PageRequest): Promise<HttpAnswer> {
  const form = new URLSearchParams(queryOf(request.target))
  const typed = (form.get('url') ?? '').trim()
  if (search !== undefined && areWords(typed))
    return redirectAnswer(searchPath({ text: typed.slice(0, wordsCharsMax) }))
  if (typed.endsWith('*') && typed.length > 1)
    return redirectAnswer(prefixPath(archivedUrl(typed.slice(0, -1)).href))
  const url = urlFromTyped(typed)
  if (url.authority === request.header('host') && ownPattern.test(url.target))
    return redirectAnswer(url.target)
  if (form.has('all')) return redirectAnswer(calendarPath(url.href))
  const at = form.get('at') ?? ''
  if (/^[0-9]{1,14}$/.test(at)) {
    const nearest = await archive.resolve(url, at)
    if (nearest !== undefined) return redirectAnswer(versionPath(nearest.capturedAtMs, nearest.url))
  }
  const newest = await firstOf(archive.versions(url, { reverse: true, limit: 1 }))
  // Whatever there is to say of a URL without captures, the calendar says.
  return redirectAnswer(
    newest === undefined ? calendarPath(url.href) : versionPath(newest.capturedAtMs, newest.url),
  )
}

async function save({ jobs, layout }: Needs, request: PageRequest): Promise<HttpAnswer> {
  const { form, listed } = await archivingForm(request)
  const typed = form.getAll('url').filter((text) => listed.length === 0 || text.trim() !== '')
  if (typed.length > urlsPerRequestMax)
    throw new PageError(
      'request-malformed',
      `At most ${urlsPerRequestMax} addresses can be archived at once.`,
    )
  const scope = requestScopes.find((known) => known === (form.get('scope') ?? 'page'))
  if (scope === undefined) {
    throw new PageError('request-malformed', `A page can be archived as ${requestScopes.join(', ')}.`)
  }
  try {
    const urls = [...(typed.length + listed.length === 0 ? [''] : typed).map(urlFromTyped), ...listed]
    const wanted: ArchiveRequest = { urls, scope }
    const when = form.get('when')?.trim() ?? ''
    if (when !== '') {
      const isCron = when.includes(' ') && !when.includes(':')
      const times = parseJobTimes(
        isCron ? { cron: when } : when.includes('-') ? { at: when } : { every: when },
      )
      await jobs.schedule(wanted, times)
      return redirectAnswer('/jobs', 303)
    }
    return redirectAnswer(jobPath((await jobs.start(wanted)).id), 303)
  } catch (error) {
    const isTheirs = error instanceof PolyhistorError && /^(?:url|schedule|seeds)-/.test(error.code)
    if (!(error instanceof UrlError) && !isTheirs) throw error
    // What was typed stays in the field, to be mended.
    const failure = {
      status: 400,
      code: error.code,
      message: error.message.endsWith('.') ? error.message : `${error.message}.`,
      url: undefined,
      isOwner: true,
    }
    return pageAnswer(request, 400, layout.page(failureScreen({ ...failure, typed: typed[0] })))
  }
}

const scheduleActions = ['pause', 'resume', 'remove'] as const

async function controlSchedule({ jobs }: Needs, id: string, form: string): Promise<HttpAnswer> {
  const asked = new URLSearchParams(form).get('action')
  const action = scheduleActions.find((known) => known === asked)
  if (action === undefined)
    throw new PageError('request-malformed', `A schedule can be told to ${scheduleActions.join(', ')}.`)
  await jobs.schedules[action](id)
  return redirectAnswer('/jobs', 303)
}

const actions = ['pause', 'resume', 'cancel'] as const

async function control({ jobs }: Needs, id: string, form: string): Promise<HttpAnswer> {
  const asked = new URLSearchParams(form).get('action')
  const action = actions.find((known) => known === asked)
  if ((await jobs.find(id)) === undefined) throw new PageError('job-unknown')
  if (action === undefined)
    throw new PageError('request-malformed', `A crawl can be told to ${actions.join(', ')}.`)
  await jobs[action](id)
  return redirectAnswer(jobPath(id), 303)
}

async function job({ archive, jobs }: Needs, id: string, isOwner: boolean): Promise<Screen> {
  const found: PageJob | undefined = await jobs.find(id)
  if (found === undefined) throw new PageError('job-unknown')
  const seeds = await Promise.all(
    found.seeds.slice(0, seedsShownMax).map(async (url) => ({ url, lastMs: await lastMsOf(archive, url) })),
  )
  return jobScreen({ job: found, seeds, details: await jobs.details(id), trouble: jobs.trouble(), isOwner })
}

async function lastMsOf(archive: PageArchive, href: string): Promise<number | undefined> {
  const url = tryParseUrl(href)
  try {
    const newest = url && (await firstOf(archive.versions(url, { reverse: true, limit: 1 })))
    return newest?.capturedAtMs
  } catch (error) {
    // Another peer keeps it, and cannot be asked now: the job is shown all the same.
    if (error instanceof PolyhistorError) return undefined
    throw error
  }
}
