/**
 * Simplified Chinese. Machine-assisted: no reader of the language has checked it.
 *
 * Glossary, beside that of the element: attention 注意力, coalition 联盟, surrogate 代理模型, class 类别,
 * prediction 预测, patch 图块, slide 玻片, slice 切片, map 图, rank 名次, seed 随机种子, what-if 假设问题.
 */
export { article } from './zh/article.ts';
export { learn } from './zh/learn.ts';
export { heads, look, read, site } from './zh/site.ts';
export { docs, element, embed, python, tiling, worksheets } from './en.ts';
