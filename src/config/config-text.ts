// config.toml with one setting changed: all else in it, comments included, stays as its owner wrote it.
//
// Lines are changed, not values, so the result is read again: when it does not say what was wanted, or says anything else than
// before of another setting, nothing is changed and the owner is asked to edit the file.

import { isDeepStrictEqual } from 'node:util'
import { type Configuration, ConfigurationError, configurationFrom } from './configuration.ts'
import { type Setting, type SettingName, settings } from './settings.ts'

/** `written` is what a person would write. Throws a ConfigurationError for a value that is none. */
export function withSetting(text: string, path: string, name: SettingName, written: string): string {
  const { kind } = settings[name] as Setting<unknown>
  let value: unknown
  try {
    value = kind.read(written)
  } catch {
    throw new ConfigurationError(`${name} is ${JSON.stringify(written)}, but must be ${kind.expects}.`)
  }
  const changed = changedText(text, name, JSON.stringify(kind.print(value)))
  if (!isOnlyChange(text, changed, path, name, value))
    throw new ConfigurationError(
      `${path} is written in a way that cannot be changed here. Edit ${name} in it by hand.`,
    )
  return changed
}

function changedText(text: string, name: string, value: string): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const dot = name.lastIndexOf('.')
  const [section, key] = [name.slice(0, Math.max(0, dot)), name.slice(dot + 1)]
  const start = section === '' ? 0 : lines.findIndex((line) => headerOf(line) === section) + 1
  const isNewSection = section !== '' && start === 0
  if (isNewSection)
    return `${[...lines, ...(lines.length === 0 ? [] : ['']), `[${section}]`, `${key} = ${value}`].join('\n')}\n`
  const nextHeader = lines.findIndex((line, index) => index >= start && headerOf(line) !== undefined)
  const end = nextHeader === -1 ? lines.length : nextHeader
  const place = lines.findIndex((line, index) => index >= start && index < end && keyOf(line) === key)
  if (place === -1) lines.splice(start, 0, `${key} = ${value}`)
  else lines[place] = `${key} = ${value}`
  return `${lines.join('\n')}\n`
}

function headerOf(line: string): string | undefined {
  return /^\s*\[\s*([\w.]+)\s*\]/.exec(line)?.[1]
}

function keyOf(line: string): string | undefined {
  return /^\s*"?([\w.]+)"?\s*=/.exec(line)?.[1]
}

function isOnlyChange(
  text: string,
  changed: string,
  path: string,
  name: SettingName,
  value: unknown,
): boolean {
  const before = configurationFrom({ file: { path, text } })
  let after: Configuration
  try {
    after = configurationFrom({ file: { path, text: changed } })
  } catch (error) {
    if (error instanceof ConfigurationError) return false
    throw error
  }
  return (Object.keys(settings) as SettingName[]).every((other) => {
    if (other === name) return isDeepStrictEqual(after.values[name], value)
    // A preset brings values of its own.
    return name === 'preset' || isDeepStrictEqual(after.values[other], before.values[other])
  })
}
