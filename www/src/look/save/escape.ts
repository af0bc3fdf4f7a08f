import { visible } from 'bagscope';

/** Text inside of markup, without hidden characters. */
export const escaped = (text: string) =>
  visible(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
