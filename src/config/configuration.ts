// The effective configuration: defaults, overlaid by the preset, config.toml, the environment and flags, in that order.
//
// Read and checked once, at the start; frozen after that. The rest of the program gets single values, not this.

import { createRequire } from 'node:module'
import type * as Toml from 'smol-toml'
import { PolyhistorError } from '../errors.ts'
import { didYouMean } from './near-match.ts'
import {
  environmentName,
  presets,
  type Setting,
  type SettingName,
  settings,
  type Values,
} from './settings.ts'

export type Source = 'default' | 'preset' | 'file' | 'environment' | 'flag'

export class ConfigurationError extends PolyhistorError {
  constructor(message: string) {
    super('configuration-invalid', message)
  }
}

export interface Configuration {
  readonly values: Values
  readonly sources: { readonly [N in SettingName]: Source }
}

/** What was written where. `file` is the text of config.toml; `flags` are the `--set` values. */
export interface Written {
  file?: { path: string; text: string }
  environment?: Record<string, string | undefined>
  flags?: Record<string, unknown>
}

const load = createRequire(import.meta.url)
const names = Object.keys(settings) as SettingName[]
/** Variables that begin like ours but are read elsewhere. */
const otherVariables = ['POLYHISTOR_HOME', 'POLYHISTOR_TOKEN', 'POLYHISTOR_MEMORY']

export function configurationFrom(written: Written): Configuration {
  const layers: [Source, Map<SettingName, unknown>][] = [
    ['file', fromFile(written.file)],
    ['environment', fromEnvironment(written.environment ?? {})],
    ['flag', fromFlags(written.flags ?? {})],
  ]
  const preset = layers.findLast(([, layer]) => layer.has('preset'))?.[1].get('preset') as
    | Values['preset']
    | undefined
  const presetValues = new Map(Object.entries(presets[preset ?? settings.preset.default])) as Map<
    SettingName,
    unknown
  >

  const values: Record<string, unknown> = {}
  const sources: Record<string, Source> = {}
  for (const name of names) {
    values[name] = settings[name].default
    sources[name] = 'default'
    for (const [source, layer] of [['preset', presetValues] as const, ...layers]) {
      if (!layer.has(name)) continue
      values[name] = layer.get(name)
      sources[name] = source
    }
  }
  return Object.freeze({ values: Object.freeze(values), sources: Object.freeze(sources) }) as Configuration
}

function fromFile(file: Written['file']): Map<SettingName, unknown> {
  if (file === undefined) return new Map()
  // Only with a file: most homes have none.
  const { parse, TomlError } = load('smol-toml') as typeof Toml
  let content: Record<string, unknown>
  try {
    content = parse(file.text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new ConfigurationError(
      `${file.path} is not valid TOML (line ${error.line}): ${firstLine(error.message)}`,
    )
  }
  return read(flatten(content), (name) => `${name} in ${file.path}`)
}

function fromEnvironment(environment: Record<string, string | undefined>): Map<SettingName, unknown> {
  const nameOf = new Map(names.map((name) => [environmentName(name), name]))
  const found = new Map<string, unknown>()
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith('POLYHISTOR_') || otherVariables.includes(variable)) continue
    const name = nameOf.get(variable)
    if (name === undefined) {
      throw new ConfigurationError(
        `The environment variable ${variable} names no setting.${didYouMean(variable, [...nameOf.keys()])}`,
      )
    }
    found.set(name, value)
  }
  return read(found, (name) => environmentName(name))
}

function fromFlags(flags: Record<string, unknown>): Map<SettingName, unknown> {
  return read(new Map(Object.entries(flags)), (name) => `--set ${name}`)
}

function read(written: Map<string, unknown>, place: (name: string) => string): Map<SettingName, unknown> {
  const layer = new Map<SettingName, unknown>()
  for (const [name, value] of written) {
    if (!isSettingName(name)) {
      throw new ConfigurationError(`${place(name)} names no setting.${didYouMean(name, names)}`)
    }
    const { kind } = settings[name] as Setting<unknown>
    try {
      layer.set(name, kind.read(value))
    } catch {
      throw new ConfigurationError(`${place(name)} is ${JSON.stringify(value)}, but must be ${kind.expects}.`)
    }
  }
  return layer
}

/** `{ store: { deltas: true } }` → `store.deltas` */
function flatten(content: Record<string, unknown>): Map<string, unknown> {
  const flat = new Map<string, unknown>()
  for (const [key, value] of Object.entries(content)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [inner, deep] of flatten(value as Record<string, unknown>)) flat.set(`${key}.${inner}`, deep)
    } else flat.set(key, value)
  }
  return flat
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name)
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!
}
