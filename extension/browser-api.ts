// What the extension uses of the browser: `chrome` in Chromium, `browser` in Firefox, alike for these calls.

export interface Tab {
  readonly url?: string
  readonly title?: string
}

export interface BrowserApi {
  readonly storage: {
    readonly local: {
      get(name: string): Promise<Record<string, unknown>>
      set(values: Record<string, unknown>): Promise<void>
      remove(name: string): Promise<void>
    }
  }
  readonly tabs: {
    query(about: { active: boolean; currentWindow: boolean }): Promise<Tab[]>
    create(options: { url: string }): Promise<unknown>
  }
  readonly permissions: {
    request(wanted: { origins: string[] }): Promise<boolean>
    remove(given: { origins: string[] }): Promise<boolean>
  }
  readonly runtime: { getURL(path: string): string; openOptionsPage(): Promise<void> }
  readonly extension: { readonly inIncognitoContext: boolean }
}

interface ExtensionWindow {
  readonly browser?: BrowserApi
  readonly chrome?: BrowserApi
}

export function browserApi(): BrowserApi {
  const { browser, chrome } = globalThis as ExtensionWindow
  return (browser ?? chrome)!
}
