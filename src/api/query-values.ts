// Values of query parameters: numbers and switches, with a sentence for whoever mistyped one.

import { badParameter } from './api-error.ts'

export class Flags {
  readonly #query: URLSearchParams

  constructor(query: URLSearchParams) {
    this.#query = query
  }

  isOn(name: string): boolean {
    const value = this.#query.get(name)
    if (value === null || value === '' || value === 'false' || value === '0') return false
    if (value === 'true' || value === '1') return true
    throw badParameter(name, value, 'true or false')
  }

  integer(name: string): number | undefined {
    const value = this.#query.get(name)
    if (value === null || value === '') return undefined
    const number = /^-?[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (!Number.isSafeInteger(number)) throw badParameter(name, value, 'a whole number')
    return number
  }

  count(name: string): number | undefined {
    const number = this.integer(name)
    if (number !== undefined && number < 0)
      throw badParameter(name, String(number), 'a whole number from 0 on')
    return number
  }
}

/** From 1 to `max`. `usual`: when it is not said. */
export function limitIn(name: string, text: string | null, usual: number, max: number): number {
  if (text === null) return usual
  const limit = Number(text)
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > max)
    throw badParameter(name, text, `a number from 1 to ${max}`)
  return limit
}
