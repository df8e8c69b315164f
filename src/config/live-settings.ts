// The settings of a running peer. Those that the table declares live are taken on again when it is told to; of the others it can say
// which differ from what it runs with.
//
// Invariant: settings that cannot be read change nothing.

import { isDeepStrictEqual } from 'node:util'
import type { Configuration } from './configuration.ts'
import { type LiveSettingName, type Setting, type SettingName, settings, type Values } from './settings.ts'

export interface SettingChange {
  readonly name: SettingName
  /** As a person would write them. */
  readonly from: string
  readonly to: string
}

export interface ReloadReport {
  /** What holds from now on. */
  readonly changed: readonly SettingChange[]
  /** What holds from the next start on. */
  readonly needsRestart: readonly SettingChange[]
}

export class LiveSettings {
  readonly #reread: () => Configuration
  #running: Configuration

  /** `reread` throws a ConfigurationError that says where they are wrong. */
  constructor(running: Configuration, reread: () => Configuration) {
    this.#running = running
    this.#reread = reread
  }

  /** What the peer runs with now. */
  get configuration(): Configuration {
    return this.#running
  }

  of<N extends LiveSettingName>(name: N): Values[N] {
    return this.#running.values[name]
  }

  /** Throws what `reread` throws. */
  reload(): ReloadReport {
    const before = this.#running
    const written = this.#reread()
    const names = Object.keys(settings) as SettingName[]
    const differing = names.filter((name) => !isDeepStrictEqual(written.values[name], before.values[name]))
    const change = (name: SettingName): SettingChange => {
      const { kind } = settings[name] as Setting<unknown>
      return { name, from: kind.print(before.values[name]), to: kind.print(written.values[name]) }
    }
    const taken = names.filter((name) => settings[name].isLive)
    const picked = <T extends object>(from: T) =>
      Object.fromEntries(taken.map((name) => [name, from[name as unknown as keyof T]]))
    this.#running = Object.freeze({
      values: Object.freeze({ ...before.values, ...picked(written.values) }),
      sources: Object.freeze({ ...before.sources, ...picked(written.sources) }),
    })
    return {
      changed: differing.filter((name) => settings[name].isLive).map(change),
      needsRestart: differing.filter((name) => !settings[name].isLive).map(change),
    }
  }
}
