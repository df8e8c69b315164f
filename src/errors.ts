// Errors that are expected to happen: each has a stable code and says whether trying again can help.
//
// Codes are part of the interface: scripts, HTTP clients and other peers read them. Never rename one.
// Broken invariants are not here: those are asserts, and crash.

/** `never`: the same call fails again. `later`: it may succeed once the cause has gone. */
export type Retry = 'never' | 'later'

/** The base of every expected failure. Only `api/` turns codes into HTTP statuses, only `cli/` into exit codes. */
export class PolyhistorError extends Error {
  readonly code: string
  readonly retry: Retry

  constructor(code: string, message: string, options: { retry?: Retry; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = new.target.name
    this.code = code
    this.retry = options.retry ?? 'never'
  }
}

/** undefined where the work fails in an expected way. */
export async function unlessFails<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof PolyhistorError) return undefined
    throw error
  }
}

/** Errors of one part, by code; of each the table says whether trying again can help. */
export function errorFamily<Code extends string>(
  retries: Readonly<Record<Code, Retry>>,
): new (
  code: Code,
  message: string,
  cause?: unknown,
) => PolyhistorError & { readonly code: Code } {
  return class extends PolyhistorError {
    declare readonly code: Code

    constructor(code: Code, message: string, cause?: unknown) {
      super(code, message, { retry: retries[code], cause })
    }
  }
}
