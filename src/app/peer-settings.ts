// The settings of a running peer, for its owner to see and, where that is safe, to change.
//
// A change is written to config.toml and holds from the next start on, or from when the peer reads its settings again. What the
// environment or the command line says stands above the file, so it cannot be changed here.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withSetting } from '../config/config-text.ts'
import { type Configuration, ConfigurationError, configurationFrom } from '../config/configuration.ts'
import {
  environmentName,
  type Setting,
  type SettingName,
  safeToChange,
  settings,
} from '../config/settings.ts'
import type { PageSetting, PageSettings } from '../ui/archive.ts'

export class PeerSettings implements PageSettings {
  readonly #running: () => Configuration
  readonly #path: string
  #changing: Promise<unknown> = Promise.resolve()

  constructor(running: () => Configuration, home: string) {
    this.#running = running
    this.#path = join(home, 'config.toml')
  }

  async list(): Promise<PageSetting[]> {
    const running = this.#running()
    const inFile = configurationFrom({ file: { path: this.#path, text: await this.#text() } })
    return (Object.keys(settings) as SettingName[]).map((name) => {
      const { kind, tradeOff } = settings[name] as Setting<unknown>
      const source = running.sources[name]
      const isAbove = source === 'environment' || source === 'flag'
      const value = kind.print(running.values[name])
      const next = isAbove ? value : kind.print(inFile.values[name])
      return {
        name,
        value,
        source,
        environmentName: environmentName(name),
        meaning: tradeOff,
        expects: kind.expects,
        canChange: !isAbove && safeToChange.has(name),
        next: next === value ? undefined : next,
      }
    })
  }

  /** One after the other, or one would undo another. */
  change(name: string, written: string): Promise<void> {
    const changed = this.#changing.then(() => this.#change(name, written))
    this.#changing = changed.catch(() => {})
    return changed
  }

  async #change(name: string, written: string): Promise<void> {
    if (!(await this.list()).some((setting) => setting.name === name && setting.canChange))
      throw new ConfigurationError(`${JSON.stringify(name.slice(0, 60))} cannot be changed here.`)
    const text = withSetting(await this.#text(), this.#path, name as SettingName, written)
    const draft = `${this.#path}.draft`
    await writeFile(draft, text)
    await rename(draft, this.#path)
  }

  async #text(): Promise<string> {
    try {
      return await readFile(this.#path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
      throw error
    }
  }
}
