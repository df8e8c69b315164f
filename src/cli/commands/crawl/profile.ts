// `polyhistor profile create|list|remove`: a browser window to log in, and what is kept of it.

import { parseAddressRange } from '../../../app/crawl/crawler.ts'
import { profileFolder } from '../../../app/profiles/profile-folder.ts'
import {
  checkProfile,
  checkRoom,
  keepProfile,
  listProfiles,
  profileOf,
  removeProfile,
  sessionOf,
} from '../../../app/profiles/profile-home.ts'
import { serveWindow } from '../../../app/profiles/remote-window.ts'
import { realPlatform } from '../../../app/real-platform.ts'
import { openStore } from '../../../app/store/store-library.ts'
import { hostAndPort } from '../../../config/kinds.ts'
import { AddressGuard } from '../../../crawl/address/address-guard.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import type { BrowserSession } from '../../../platform/network/browser-session.ts'
import type { ProfileWindow } from '../../../platform/network/profile-window.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { preparePrivateHome } from '../../home-folder.ts'
import { isConfirmed } from '../../input/confirmation.ts'
import { optionValue } from '../../input/option-values.ts'
import { listenForInterruption } from '../../interruption.ts'
import { formatTable } from '../../output/table.ts'
import { runningPeer } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

interface CreateOptions {
  remote?: boolean
  http?: string
  allowAddress?: string[]
}

export async function createProfile(
  context: Context,
  [name, typed]: string[],
  options: CreateOptions,
): Promise<ExitCode> {
  checkNotWithin(context)
  await preparePrivateHome(context)
  const folder = profileFolder(context.home.folder, name!)
  const before = await profileOf(folder)
  if ((await runningPeer({ ...context, home: { folder, source: 'flag' } })) !== undefined)
    throw new UsageError(
      `A peer runs with the profile ${name}. Stop it first: it would go on with the old session.`,
    )
  if (before === undefined) await checkRoom(context.home.folder)
  const url = typed === undefined ? before?.url : urlFromTyped(typed).href
  const now = new Date().toISOString()
  const mark = { name: name!, createdAt: before?.createdAt ?? now, changedAt: now, url }
  const session = await sessionOf(folder)
  await keepProfile(folder, mark, session)
  const kept = await loggedIn(context, { folder, name: name!, url: url ?? 'about:blank', session }, options)
  if (kept === undefined) {
    if (before === undefined) await removeProfile(folder)
    context.terminal.tell('Nothing was kept.')
    return exitCodes.no
  }
  await keepProfile(folder, mark, kept)
  await report(context, name!, kept)
  return exitCodes.ok
}

async function report({ terminal, isJson }: Context, name: string, session: BrowserSession): Promise<void> {
  const sites = new Set(session.cookies.map(({ domain }) => domain.replace(/^\./, '')))
  if (isJson) return terminal.printJson({ name, cookies: session.cookies.length, hosts: [...sites] })
  await terminal.printLine(
    `The profile ${name} has ${session.cookies.length} cookies of ${sites.size} hosts. Archive what it is shown with: polyhistor crawl --profile ${name} URL`,
  )
}

interface Login {
  readonly folder: string
  readonly name: string
  readonly url: string
  readonly session: BrowserSession
}

/** undefined when nothing is to be kept. */
async function loggedIn(
  context: Context,
  login: Login,
  options: CreateOptions,
): Promise<BrowserSession | undefined> {
  const isVisible = options.remote !== true && options.http === undefined && hasScreen()
  const platform = realPlatform()
  const window = await platform.openProfileWindow({
    path: context.configuration.values['crawl.browserPath'],
    fetchFolder: `${context.home.folder}/crawl/fetched-browser`,
    tell: (sentence) => context.terminal.tell(sentence),
    session: login.session,
    url: login.url,
    isVisible,
    allow: new AddressGuard((options.allowAddress ?? []).map(parseAddressRange)),
  })
  const interruption = listenForInterruption(() => {})
  const stopped = new Promise<undefined>((resolve) =>
    interruption.signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  )
  try {
    if (!isVisible) return await remotely(context, window, login, options, stopped)
    context.terminal.tell('Log in in the window that has opened, then close it. Ctrl-C keeps nothing.')
    return await Promise.race([window.ended, stopped])
  } finally {
    interruption.release()
    await window.close()
  }
}

async function remotely(
  context: Context,
  window: ProfileWindow,
  { folder, name }: Login,
  options: CreateOptions,
  stopped: Promise<undefined>,
): Promise<BrowserSession | undefined> {
  const { terminal, isJson, log } = context
  const { host, port } =
    options.http === undefined
      ? { host: 'localhost', port: 0 }
      : optionValue(hostAndPort, '--http', options.http)
  const needs = { platform: realPlatform(), log, window }
  const remote = await serveWindow(needs, { home: folder, name, host, port })
  try {
    if (isJson) await terminal.printJson({ link: remote.link })
    else await terminal.printLine(`Open this in your browser, and log in there: ${remote.link}`)
    const isKept = await Promise.race([remote.decided, window.ended.then(() => false), stopped])
    return isKept ? await window.session() : undefined
  } finally {
    await remote.close()
  }
}

function hasScreen(): boolean {
  if (process.platform !== 'linux') return true
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}

export async function showProfiles(context: Context): Promise<ExitCode> {
  checkNotWithin(context)
  const { terminal, isJson, home } = context
  const profiles = await listProfiles(home.folder)
  if (isJson) for (const profile of profiles) await terminal.printJson(profile)
  else if (profiles.length === 0)
    terminal.tell('There are no profiles. Make one with: polyhistor profile create NAME URL')
  else {
    const rows = profiles.map(({ name, changedAt, url }) => [name, changedAt, url ?? ''])
    await terminal.printLine(formatTable(['name', 'logged in', 'where'], rows, terminal.width))
  }
  return exitCodes.ok
}

export async function forgetProfile(
  context: Context,
  [name]: string[],
  { yes }: { yes?: boolean },
): Promise<ExitCode> {
  checkNotWithin(context)
  const folder = profileFolder(context.home.folder, name!)
  await checkProfile(folder, name!)
  // Whoever has it open would go on writing where nothing is any more.
  const store = await openStore(`${folder}/store`)
  const { captures } = await store.stat().finally(() => store.close())
  const question = `Remove the profile ${name} with its ${captures} captures? There is no way back.`
  if (!yes && !(await isConfirmed(question))) {
    context.terminal.tell('Nothing was removed. Say --yes to remove it without being asked.')
    return exitCodes.no
  }
  await removeProfile(folder)
  if (context.isJson) await context.terminal.printJson({ name, captures })
  else await context.terminal.printLine(`The profile ${name} and its ${captures} captures are gone.`)
  return exitCodes.ok
}

function checkNotWithin({ home }: Context): void {
  if (home.of !== undefined)
    throw new UsageError('Profiles belong to a home, not to each other: leave out --profile.')
}
