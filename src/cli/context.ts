// What every command is given: where the home folder is, the effective configuration, where to print, how to log.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { profileFolder } from '../app/profiles/profile-folder.ts'
import {
  type Configuration,
  ConfigurationError,
  configurationFrom,
  type Source,
} from '../config/configuration.ts'
import type { Log } from '../platform/log.ts'
import { openLog } from '../platform/real/log.ts'
import { Terminal } from './output/terminal.ts'
import { UsageError } from './usage-error.ts'

/** Options that stand before or after any command. */
export interface GlobalOptions {
  home?: string
  json?: boolean
  quiet?: boolean
  verbose?: boolean
  set?: string[]
  peer?: string
  profile?: string
}

interface Home {
  /** With --profile: that of the profile, which is a home of its own. */
  folder: string
  source: Source
  /** With --profile: the home that the profile belongs to. */
  of?: { folder: string; profile: string } | undefined
}

export interface Context {
  readonly home: Home
  readonly isJson: boolean
  readonly isQuiet: boolean
  readonly configuration: Configuration
  readonly terminal: Terminal
  readonly log: Log
  /** Given with --peer: `http://localhost:7070`, without a final slash. */
  readonly peerUrl?: string | undefined
  /** For writing through --peer, from the environment. */
  readonly token?: string | undefined
  /** The same with the settings as they are written now. */
  readonly reread?: (() => Context) | undefined
}

export function contextFrom(
  options: GlobalOptions,
  environment: NodeJS.ProcessEnv = process.env,
  terminal: Terminal = new Terminal(),
): Context {
  const home = homeFrom(options, environment)
  const configuration = configurationFrom({
    file: configurationFile(home.of?.folder ?? home.folder),
    environment,
    flags: flagsFrom(options),
  })
  return {
    home,
    isJson: options.json === true,
    isQuiet: options.quiet === true,
    configuration,
    terminal,
    peerUrl: options.peer === undefined ? undefined : peerOrigin(options.peer),
    token: environment.POLYHISTOR_TOKEN,
    reread: () => contextFrom(options, environment, terminal),
    log: openLog({ level: configuration.values['log.level'], format: configuration.values['log.format'] }),
  }
}

function homeFrom(options: GlobalOptions, environment: NodeJS.ProcessEnv): Home {
  const home = wholeHomeFrom(options, environment)
  if (options.profile === undefined) return home
  if (options.peer !== undefined)
    throw new UsageError('A profile is of a home on this machine: leave out --peer, or --profile.')
  const folder = profileFolder(home.folder, options.profile)
  return { folder, source: 'flag', of: { folder: home.folder, profile: options.profile } }
}

function wholeHomeFrom(options: GlobalOptions, environment: NodeJS.ProcessEnv): Home {
  if (options.home !== undefined) return { folder: resolve(options.home), source: 'flag' }
  if (environment.POLYHISTOR_HOME)
    return { folder: resolve(environment.POLYHISTOR_HOME), source: 'environment' }
  return { folder: join(homedir(), '.polyhistor'), source: 'default' }
}

function peerOrigin(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw new UsageError(`--peer takes the address of a peer, such as http://localhost:7070, not ${text}.`)
  return url.origin
}

function configurationFile(home: string): { path: string; text: string } | undefined {
  const path = join(home, 'config.toml')
  try {
    return { path, text: readFileSync(path, 'utf8') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ENOTDIR') throw new UsageError(`${home} is no folder. Choose another home with --home DIR.`)
    throw new ConfigurationError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

function flagsFrom(options: GlobalOptions): Record<string, string> {
  const flags: Record<string, string> = {}
  if (options.quiet === true) flags['log.level'] = 'warn'
  if (options.verbose === true) flags['log.level'] = 'debug'
  for (const pair of options.set ?? []) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw new UsageError(`--set takes NAME=VALUE, not ${JSON.stringify(pair)}.`)
    flags[pair.slice(0, equals)] = pair.slice(equals + 1)
  }
  return flags
}
