// Defines <bag-explainer> with the texts of the site's language.
import { BagExplainer } from 'bagscope/element';
import { element } from '../strings';

if (element) BagExplainer.texts = element;
