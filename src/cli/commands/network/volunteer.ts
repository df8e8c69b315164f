// `polyhistor volunteer`: lends this machine's line to a network. Becomes a process of its own, under Node's permission model: it can
// read the program and its own folder, write its own folder, and use the network; it can start no other process and load no native code.

import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { updateExitCode } from '../../../app/volunteer/volunteer-exit.ts'
import type { VolunteerSettings } from '../../../app/volunteer/volunteer-process.ts'
import { VolunteerUpdate } from '../../../app/volunteer/volunteer-update.ts'
import { BadValue, bytesFrom } from '../../../config/kinds.ts'
import { parseAddressRange } from '../../../crawl/address/address-range.ts'
import { PolyhistorError } from '../../../errors.ts'
import { isCompiled, programFile } from '../../../platform/program-files.ts'
import { version } from '../../../version.ts'
import type { Context } from '../../context.ts'
import { invitationFrom } from '../../input/invitation-input.ts'
import { UsageError } from '../../usage-error.ts'
import { settingsVariable } from '../../volunteer-settings.ts'

interface Options {
  invite?: string
  join?: string[]
  allowAddress?: string[]
  insecure?: boolean
  cpu?: string
  up?: string
  down?: string
  hours?: string
  metered?: boolean
  battery?: boolean
  busy?: boolean
  bundles?: string
  page?: string
  update?: boolean
}

const root = dirname(fileURLToPath(programFile('.')))
/** In the package one file, which needs nothing beside it: scripts/build-volunteer.ts. */
const entry = fileURLToPath(programFile(isCompiled ? 'chunks/volunteer.cjs' : 'cli/volunteer-main.ts'))
/** Where Linux tells whether the machine runs on its battery. */
const powerFolder = '/sys/class/power_supply'
const bundlesDefault = 4
const bundlesMax = 32
const rate = bytesFrom(1_000, '500kB')

export async function runVolunteer(context: Context, _words: string[], options: Options): Promise<undefined> {
  const folder = join(context.home.folder, 'volunteer')
  const invitation = options.invite && (await invitationFrom(options.invite))
  const allowed = options.allowAddress ?? []
  for (const range of allowed) parseAddressRange(range)
  const settings: VolunteerSettings & { isJson: boolean } = {
    folder,
    invitation: invitation || undefined,
    join: options.join ?? [],
    allowed,
    insecure: options.insecure === true,
    bundles: wholeNumber('--bundles', options.bundles, 1, bundlesMax) ?? bundlesDefault,
    pagePort: wholeNumber('--page', options.page, 0, 65_535) ?? 0,
    limits: {
      ...(options.up !== undefined && { up: rateOf('--up', options.up) }),
      ...(options.down !== undefined && { down: rateOf('--down', options.down) }),
      ...(options.cpu !== undefined && { cpu: cpuOf(options.cpu) }),
      ...(options.hours !== undefined && { hours: hoursOf(options.hours) }),
      ...(options.metered && { isMetered: true }),
      ...(options.battery === false && { pausesOnBattery: false }),
      ...(options.busy === false && { pausesWhenBusy: false }),
    },
    isJson: context.isJson,
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const words = [
    ...['--permission', '--allow-net', ...readable(folder), `--allow-fs-write=${folder}`],
    // It idles most of the time, and in little memory: docs/decisions/0133 has what each of these saves.
    ...['--max-semi-space-size=1', '--optimize-for-size', '--no-opt', '--no-maglev', '--no-sparkplug'],
    ...['--single-threaded', '--expose-gc'],
    ...['--disable-warning=SecurityWarning', '--disable-warning=ExperimentalWarning', entry],
  ].filter((word) => word !== '--allow-net' || process.allowedNodeEnvironmentFlags.has(word))
  const { NODE_OPTIONS: _options, NODE_COMPILE_CACHE: _cache, ...rest } = process.env
  // glibc keeps what was freed, in an arena for each thread, unless told to give it back.
  const malloc = {
    MALLOC_ARENA_MAX: '1',
    MALLOC_TRIM_THRESHOLD_: '32768',
    MALLOC_MMAP_THRESHOLD_: '16384',
    MALLOC_TOP_PAD_: '0',
  }
  const ownMemory = { ...malloc, UV_THREADPOOL_SIZE: '2', ...rest }
  const environment = { ...ownMemory, [settingsVariable]: JSON.stringify(settings) } as Record<string, string>
  if (options.update) return runWithUpdates(context, words, ownMemory, settings)
  if (process.execve !== undefined && process.platform !== 'win32')
    process.execve(process.execPath, [process.execPath, ...words], environment)
  process.exit(await ended(words, environment))
}

/** Stays, so that there is somebody who may install: the volunteer's process may not. */
async function runWithUpdates(
  context: Context,
  words: string[],
  env: NodeJS.ProcessEnv,
  settings: VolunteerSettings,
): Promise<never> {
  const { terminal, home } = context
  const options = { home: home.folder, volunteerFolder: settings.folder, version }
  const update = new VolunteerUpdate({ run: runProgram }, options)
  await update.begin(settings.invitation)
  const installed = await update.installed()
  if (installed !== undefined) return become(installed)
  for (let except: string | undefined; ; ) {
    const told = { ...settings, updates: { except } }
    const code = await ended(words, { ...env, [settingsVariable]: JSON.stringify(told) } as Record<
      string,
      string
    >)
    const release = code === updateExitCode ? await update.wanted() : undefined
    if (code !== updateExitCode) process.exit(code)
    except = release?.version ?? 'none'
    if (release === undefined)
      terminal.tell('What the volunteer took for a release was none: it goes on as it is.')
    else {
      try {
        return become(await update.install(release))
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        terminal.tell(`${error.message} The volunteer goes on with version ${version}.`)
      }
    }
  }
}

/** The same command, of another version. The invitation is kept by now, and may have been read from the input. */
async function become(command: string): Promise<never> {
  const given = process.argv.slice(2)
  const words = [
    command,
    ...given.filter((word, index) => !isInvite(word) && given[index - 1] !== '--invite'),
  ]
  if (process.execve !== undefined && process.platform !== 'win32')
    process.execve(process.execPath, [process.execPath, ...words], process.env as Record<string, string>)
  process.exit(await ended(words, process.env as Record<string, string>))
}

function isInvite(word: string): boolean {
  return word === '--invite' || word.startsWith('--invite=')
}

function runProgram(command: string, words: readonly string[], folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', reject)
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}`))))
  })
}

function readable(folder: string): string[] {
  const program = isCompiled ? [entry] : [join(root, 'src'), join(root, 'node_modules')]
  return [...program, join(root, 'package.json'), folder, powerFolder].map(
    (path) => `--allow-fs-read=${path}`,
  )
}

/** Where a process cannot become another, or has to stay. Gives the code that it ended with. */
async function ended(words: string[], env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, words, { stdio: 'inherit', env })
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGINT', pass)
  process.on('SIGTERM', pass)
  const code = await new Promise<number>((resolve) => child.on('exit', (exit) => resolve(exit ?? 1)))
  process.off('SIGINT', pass)
  process.off('SIGTERM', pass)
  return code
}

function wholeNumber(
  name: string,
  written: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (written === undefined) return undefined
  const value = Number(written)
  if (!Number.isInteger(value) || value < min || value > max)
    throw new UsageError(`${name} is a number from ${min} to ${max}.`)
  return value
}

/** A second. */
function rateOf(name: string, written: string): number {
  try {
    return rate.read(written.replace(/\/s$/, ''))
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
    throw new UsageError(`${name} is ${rate.expects}, a second.`)
  }
}

function cpuOf(written: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(written.trim()) ?? []
  const share = Number(number) / (percent === '%' ? 100 : 1)
  if (number === undefined || share < 0.01 || share > 64)
    throw new UsageError('--cpu is a part of one core, such as 20% or 0.2.')
  return share
}

function hoursOf(written: string): { from: number; to: number } {
  const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(written.trim()) ?? []
  if (from === undefined || Number(from) > 24 || Number(to) > 24)
    throw new UsageError('--hours is from one hour of the day to another, such as 22-6.')
  return { from: Number(from), to: Number(to) }
}
