/** Saves a text as a file on the user's machine. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to save it by then.
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
